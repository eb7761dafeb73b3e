package checkcmd

import (
	"encoding/json"
	"fmt"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/run"
	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/check"
	"github.com/go-election/election/lab/verdict"
)

// checkReport is the JSON form, its fields in this order.
type checkReport struct {
	Algorithm       string          `json:"algorithm"`
	Variant         string          `json:"variant"`
	N               int             `json:"n"`
	Network         string          `json:"network"`
	States          uint64          `json:"states"`
	Transitions     uint64          `json:"transitions"`
	Depth           int             `json:"depth"`
	Properties      []propertyFound `json:"properties"`
	Seconds         float64         `json:"seconds"`
	StatesPerSecond float64         `json:"states_per_second"`
	BytesPerState   float64         `json:"bytes_per_state"`
	Counterexample  json.RawMessage `json:"counterexample"`

	Longest   *int       `json:"longest"`
	Messages  *int       `json:"messages"`
	Exhausted bool       `json:"exhausted"`
	Stopped   *string    `json:"stopped"`
	Collision float64    `json:"collision_probability"`
	Reduced   uint64     `json:"reduced"`
	Delay     *run.Units `json:"delay"`
	Outside   *string    `json:"outside_model"`
}

// propertyFound is the JSON form of a verdict; Holds is null where not every state was visited and it has not
// been violated.
type propertyFound struct {
	Name  string       `json:"name"`
	Holds *bool        `json:"holds"`
	Kind  verdict.Kind `json:"kind"`
}

// known returns whether a property holds; nil where that is open.
func (k *checking) known(v check.Verdict) *bool {
	if v.Known {
		return &v.Holds
	}
	return nil
}

func (k *checking) report() checkReport {
	r := checkReport{
		Algorithm: k.Algorithm.Name, Variant: k.Algorithm.Variant, N: len(k.IDs), Network: k.flags.network,
		States: k.States, Transitions: k.Transitions, Depth: k.Depth, Properties: []propertyFound{},
		Seconds: k.Wall.Seconds(), StatesPerSecond: k.speed(), BytesPerState: prose.Rounded(k.perState(), 2),
		Exhausted: k.Exhausted, Collision: k.Collision, Reduced: k.Reduced, Delay: k.longestDelay(),
		Longest: orNull(k.Longest), Messages: orNull(k.Result.Messages),
	}
	for _, v := range k.Result.Properties {
		r.Properties = append(r.Properties, propertyFound{v.Property.Text(), k.known(v), v.Kind})
	}
	if text := k.Outside(); text != "" {
		r.Outside = &text
	}
	if k.Stopped != nil {
		text := k.stopped().Error()
		r.Stopped = &text
	}
	if k.ran != nil {
		r.Counterexample = k.ran.json
	}
	return r
}

// longestDelay is null where time is not modelled.
func (k *checking) longestDelay() *run.Units {
	if k.Delay == 0 {
		return nil
	}
	u := run.Units(k.Delay)
	return &u
}

// orNull returns nil for what was not counted.
func orNull(count int) *int {
	if count < 0 {
		return nil
	}
	return &count
}

func (k *checking) speed() float64 {
	return prose.Rounded(float64(k.States)/max(k.Wall.Seconds(), 1e-9), 0)
}

func (k *checking) perState() float64 { return float64(k.Bytes) / max(float64(k.States), 1) }

// tellCheck reports a check, and its counterexample.
func tellCheck(a *console.Console, k *checking) error {
	f := k.flags
	switch {
	case f.JSON:
		line, err := json.Marshal(k.report())
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(a.Stdout, "%s\n", line); err != nil {
			return err
		}
	case !f.Silent:
		if _, err := fmt.Fprint(a.Stdout, checkSummary(a, k)); err != nil {
			return err
		}
	}
	if k.ran == nil {
		return console.TellUnwritten(a, f.unwritten("no counterexample"), f.JSON || f.Silent)
	}
	return tellExample(a, k)
}

// unwritten says which files there is nothing for, if any.
func (f *checkFlags) unwritten(why string) string {
	names := []string{f.out}
	for _, file := range f.Files.All() {
		names = append(names, *file.Name)
	}
	return files.NotWritten(why, names...)
}

// showCheck draws how far a check is.
func showCheck(m *console.Meter, p check.Progress) {
	m.Draw(func(seconds float64) string {
		return fmt.Sprintf("%s states, %s waiting, depth %s, %.0f s, %s a second",
			prose.Grouped(p.States), prose.Grouped(p.Queue), prose.Grouped(uint64(p.Depth)), seconds, prose.Grouped(uint64(float64(p.States)/seconds)))
	})
}
