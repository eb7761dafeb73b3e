package bridge

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/params"
)

// fileName returns the file name of a run, without its extension.
func fileName(s *scenario.Scenario) string {
	if s.Variant == "" {
		return s.Algorithm
	}
	return s.Algorithm + "-" + s.Variant
}

// command returns the command that makes the same run.
func command(s *scenario.Scenario, force bool) string {
	forced := ""
	if force {
		forced = " --force"
	}
	// Flags replace these fields. Other fields need a file.
	rest := *s
	flags := []string{"elect sim " + s.Algorithm}
	if s.Variant != "" {
		flags[0] += "/" + s.Variant
	}
	rest.Algorithm, rest.Variant, rest.Name, rest.Note, rest.IDs, rest.Seed, rest.Until = "", "", "", "", nil,
		0, 0
	flags = append(flags, processes(s))
	if s.Initiators != nil {
		flags = append(flags, "--initiators "+cmp.Or(list(s.Initiators), "none"))
		rest.Initiators = nil
	}
	if s.Schedule == sim.RandomDelay {
		flags = append(flags, "--schedule random")
	}
	if s.Schedule == sim.RandomDelay || s.Schedule == sim.UnitDelay {
		rest.Schedule = ""
	}
	if d := s.Delay; d != nil && (d.Distribution == "" || d.Distribution == sim.Uniform) && d.Min > 1 {
		flags = append(flags, fmt.Sprintf("--delay %s,%s", scenario.InUnits(d.Min), scenario.InUnits(d.Max)))
		rest.Delay = nil
	}
	if s.FIFO != nil {
		flags = append(flags, fmt.Sprintf("--fifo=%t", *s.FIFO))
		rest.FIFO = nil
	}
	if s.Seed != 0 {
		flags = append(flags, fmt.Sprintf("--seed %d", s.Seed))
	}
	if s.Until != 0 {
		flags = append(flags, "--until "+scenario.InUnits(s.Until))
	}
	if plain := plainParams(s.Params); plain != nil || len(s.Params) == 0 {
		flags = append(flags, plain...)
		rest.Params = nil
	}
	if text, err := rest.MarshalJSON(); err != nil || string(text) != "{}" {
		return "elect sim --scenario " + fileName(s) + ".json" + forced // as export names it
	}
	return strings.Join(flags, " ") + forced
}

// processes returns the flag that names the processes: a number, if they are 1 to n in this order.
func processes(s *scenario.Scenario) string {
	for i, id := range s.IDs {
		if id != election.ID(i+1) {
			return "--ids " + list(s.IDs)
		}
	}
	return fmt.Sprintf("-n %d", len(s.IDs))
}

func list(ids []election.ID) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = strconv.FormatUint(uint64(id), 10)
	}
	return strings.Join(texts, ",")
}

// plainParams returns the flags of parameters, nil if one is a table.
func plainParams(values map[string]params.Value) (flags []string) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		v := values[name]
		switch {
		case v.ByID != nil || v.Lists != nil || strings.ContainsAny(v.Text, " '\"\\$`"):
			return nil
		case v.Text != "":
			flags = append(flags, fmt.Sprintf("--param %s=%s", name, v.Text))
		default:
			flags = append(flags, fmt.Sprintf("--param %s=%s", name,
				strconv.FormatFloat(v.Number, 'g', -1, 64)))
		}
	}
	return flags
}
