package scenario

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/params"
)

// Write writes scenarios in the format of [Read]: one as an object, several as a list with one
// scenario on each line.
func Write(w io.Writer, all ...*Scenario) error {
	if len(all) == 0 {
		return input.Errorf("no scenario to write")
	}
	begin, end := "", "\n"
	if len(all) > 1 {
		begin, end = "[\n  ", "\n]\n"
	}
	var b bytes.Buffer
	for _, s := range all {
		text, err := s.MarshalJSON()
		if err != nil {
			return err
		}
		b.WriteString(begin)
		b.Write(spaced(text))
		begin = ",\n  "
	}
	b.WriteString(end)
	_, err := w.Write(b.Bytes())
	return err
}

// spaced puts a space after each comma and colon of a JSON text. Strings are safe, since line
// breaks in them are escaped.
func spaced(text []byte) []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", ""); err != nil {
		return text
	}
	text = bytes.ReplaceAll(b.Bytes(), []byte(",\n"), []byte(", "))
	return bytes.ReplaceAll(text, []byte("\n"), nil)
}

// MarshalJSON returns the JSON form of a scenario, without spaces. It omits fields that are not
// set and writes numbers above 2^53 as strings. It returns an error if [Read] would refuse the
// scenario.
func (s Scenario) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(formOf(&s)); err != nil {
		return nil, input.Errorf("%w", err)
	}
	text := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	// The parser has all rules of the format.
	if _, err := parse(text); err != nil {
		return nil, err
	}
	return text, nil
}

// UnmarshalJSON reads the JSON form of a scenario.
func (s *Scenario) UnmarshalJSON(b []byte) error {
	p := newParser(b, "scenario")
	read := p.scenario()
	if p.err == nil {
		*s = *read
	}
	return p.err
}

// form has the fields of a Scenario in the order of a file. An empty list is written and a nil
// list is not: the two mean different things.
type form struct {
	Name         string          `json:"name,omitzero"`
	Algorithm    string          `json:"algorithm,omitzero"`
	Variant      string          `json:"variant,omitzero"`
	Topology     *linksForm      `json:"topology,omitzero"`
	IDs          []whole         `json:"ids,omitzero"`
	Priorities   []whole         `json:"priorities,omitzero"`
	Initiators   []whole         `json:"initiators,omitzero"`
	StartTimes   []units         `json:"start_times,omitzero"`
	Crashed      []whole         `json:"crashed,omitzero"`
	CrashAt      [][2]any        `json:"crash_at,omitzero"`
	RecoverAt    [][2]any        `json:"recover_at,omitzero"`
	RestartAt    [][2]any        `json:"restart_at,omitzero"`
	SuspectAfter units           `json:"suspect_after,omitzero"`
	PauseAt      [][3]any        `json:"pause_at,omitzero"`
	ClockRates   [][2]any        `json:"clock_rates,omitzero"`
	Loss         float64         `json:"loss,omitzero"`
	Duplicate    float64         `json:"duplicate,omitzero"`
	Reorder      float64         `json:"reorder,omitzero"`
	Partitions   []partitionForm `json:"partitions,omitzero"`
	Wishes       [][3]any        `json:"wishes,omitzero"`
	Commands     []commandForm   `json:"commands,omitzero"`
	Draws        [][]int         `json:"draws,omitzero"`
	Schedule     Schedule        `json:"schedule,omitzero"`
	Seed         whole           `json:"seed,omitzero"`
	Delay        *delayForm      `json:"delay,omitzero"`
	Until        units           `json:"until,omitzero"`
	FIFO         *bool           `json:"fifo,omitzero"`
	Steps        []stepForm      `json:"steps,omitzero"`
	Acts         []actForm       `json:"acts,omitzero"`
	Params       map[string]any  `json:"params,omitzero"`
	AnySchedule  bool            `json:"any_schedule,omitzero"`
	Expect       *expectForm     `json:"expect,omitzero"`
	Property     string          `json:"property,omitzero"`
	Note         string          `json:"note,omitzero"`
}

type linksForm struct {
	Kind          election.Shape        `json:"kind,omitzero"`
	Bidirectional *bool                 `json:"bidirectional,omitzero"`
	Edges         [][2]whole            `json:"edges,omitzero"`
	Weights       []whole               `json:"weights,omitzero"`
	Parent        map[election.ID]whole `json:"parent,omitzero"`
	Dimension     *int                  `json:"dimension,omitzero"`
	Rows          int                   `json:"rows,omitzero"`
	Cols          int                   `json:"cols,omitzero"`
}

type partitionForm struct {
	From   units     `json:"from,omitzero"`
	Until  units     `json:"until,omitzero"`
	Groups [][]whole `json:"groups,omitzero"`
	OneWay bool      `json:"one_way,omitzero"`
}

type commandForm struct {
	At      units   `json:"at,omitzero"`
	Process whole   `json:"process,omitzero"`
	Command string  `json:"command,omitzero"`
	Voters  []whole `json:"voters,omitzero"`
}

type delayForm struct {
	Distribution Distribution `json:"distribution,omitzero"`
	Min          units        `json:"min,omitzero"`
	Max          units        `json:"max,omitzero"`
	Mean         units        `json:"mean,omitzero"`
}

type stepForm struct {
	Do      string        `json:"do,omitzero"`
	Process whole         `json:"process,omitzero"`
	Port    election.Port `json:"port,omitzero"`
	Nth     int           `json:"nth,omitzero"`
	Timer   uint8         `json:"timer,omitzero"`
	Layer   uint8         `json:"layer,omitzero"`
	Command string        `json:"command,omitzero"`
	Voters  []whole       `json:"voters,omitzero"`
	Choices []int         `json:"choices,omitzero"`
	At      *units        `json:"at,omitzero"`
	Groups  [][]whole     `json:"groups,omitzero"`
	OneWay  bool          `json:"one_way,omitzero"`
}

type actForm struct {
	After whole `json:"after,omitzero"`
	stepForm
	By units `json:"by,omitzero"`
}

type expectForm struct {
	Leader     any              `json:"leader,omitzero"`
	Leaders    *whole           `json:"leaders,omitzero"`
	Messages   *whole           `json:"messages,omitzero"`
	ByKind     map[string]whole `json:"by_kind,omitzero"`
	Time       *units           `json:"time,omitzero"`
	Tree       [][2]whole       `json:"tree,omitzero"`
	EntryOrder []whole          `json:"entry_order,omitzero"`
	Entries    [][2]any         `json:"entries,omitzero"`
}

func formOf(s *Scenario) *form {
	return &form{
		Name: s.Name, Algorithm: s.Algorithm, Variant: s.Variant, Topology: formOfLinks(s.Topology),
		IDs: wholes(s.IDs), Priorities: wholes(s.Priorities), Initiators: wholes(s.Initiators),
		StartTimes: each(s.StartTimes, func(t time.Duration) units { return units(t) }),
		Crashed:    wholes(s.Crashed), CrashAt: each(s.CrashAt, idTime), RecoverAt: each(s.RecoverAt, idTime),
		RestartAt: each(s.RestartAt, idTime), SuspectAfter: units(s.SuspectAfter),
		PauseAt: each(s.PauseAt, func(p Pause) [3]any {
			return [3]any{whole(p.ID), units(p.From), units(p.Until)}
		}),
		ClockRates: each(s.ClockRates, func(r ClockRate) [2]any { return [2]any{whole(r.ID), r.Rate} }),
		Loss:       s.Faults.Loss, Duplicate: s.Faults.Duplicate, Reorder: s.Faults.Reorder,
		Partitions: each(s.Faults.Partitions, func(p fault.Partition) partitionForm {
			return partitionForm{units(p.From), units(p.Until), each(p.Groups, wholes), p.OneWay}
		}),
		Wishes: each(s.Wishes, func(w Wish) [3]any {
			return [3]any{whole(w.ID), units(w.Time), wholes(w.Voters)}
		}),
		Commands: each(s.Commands, func(c Command) commandForm {
			return commandForm{units(c.Time), whole(c.Process), c.Name, wholes(c.Voters)}
		}),
		Draws: s.Draws, Schedule: s.Schedule, Seed: whole(s.Seed), Delay: formOfDelay(s.Delay),
		Until: units(s.Until), FIFO: s.FIFO, Steps: each(s.Steps, formOfStep),
		Acts: each(s.Acts, func(a Act) actForm {
			return actForm{whole(a.After), formOfStep(a.Step), units(a.By)}
		}),
		Params: eachOf(s.Params, formOfParam), AnySchedule: s.AnySchedule, Expect: formOfExpect(s.Expect),
		Property: string(s.Property), Note: s.Note,
	}
}

func formOfLinks(l *Links) *linksForm {
	if l == nil {
		return nil
	}
	return &linksForm{
		Kind: l.Kind, Bidirectional: l.Bidirectional, Edges: each(l.Edges, pair), Weights: wholes(l.Weights),
		Parent:    eachOf(l.Parent, func(id election.ID) whole { return whole(id) }),
		Dimension: l.Dimension, Rows: l.Rows, Cols: l.Cols,
	}
}

func formOfDelay(d *Delay) *delayForm {
	if d == nil {
		return nil
	}
	return &delayForm{d.Distribution, units(d.Min), units(d.Max), units(d.Mean)}
}

func formOfStep(s Step) stepForm {
	f := stepForm{Process: whole(s.Process), Port: s.Port, Nth: s.Nth, Timer: s.Timer, Layer: s.Layer,
		Command: s.Command, Voters: wholes(s.Voters), Choices: s.Choices, At: (*units)(s.At),
		Groups: each(s.Groups, wholes), OneWay: s.OneWay}
	if s.Do != 0 {
		f.Do = s.Do.String()
	}
	return f
}

func formOfExpect(e *Expect) *expectForm {
	if e == nil {
		return nil
	}
	f := &expectForm{
		Leaders: (*whole)(e.Leaders), Messages: (*whole)(e.Messages),
		ByKind: eachOf(e.ByKind, func(n uint64) whole { return whole(n) }), Time: (*units)(e.Time),
		Tree: each(e.Tree, pair), EntryOrder: wholes(e.EntryOrder),
		Entries: each(e.Entries, func(at At) [2]any { return [2]any{units(at.Time), whole(at.ID)} }),
	}
	switch {
	case e.Leader == nil:
	case *e.Leader == 0:
		// omitzero keeps an interface that holds a nil pointer, so this is written as null.
		f.Leader = (*whole)(nil)
	default:
		f.Leader = whole(*e.Leader)
	}
	return f
}

func formOfParam(v params.Value) any {
	switch {
	case v.Text != "":
		return v.Text
	case v.ByID != nil:
		return v.ByID
	case v.Lists != nil:
		return eachOf(v.Lists, wholes)
	}
	return v.Number
}

// whole is a whole number. One above 2^53 is written as a string, since many readers of JSON keep
// numbers as float64 and would round it.
type whole uint64

// MarshalJSON returns the digits.
func (n whole) MarshalJSON() ([]byte, error) {
	digits := strconv.FormatUint(uint64(n), 10)
	if n > maxExact {
		digits = `"` + digits + `"`
	}
	return []byte(digits), nil
}

// units is a time, written in units.
type units time.Duration

// MarshalJSON returns the number of units.
func (u units) MarshalJSON() ([]byte, error) { return []byte(InUnits(time.Duration(u))), nil }

func idTime(at At) [2]any { return [2]any{whole(at.ID), units(at.Time)} }

func pair(ids [2]election.ID) [2]whole { return [2]whole{whole(ids[0]), whole(ids[1])} }

func wholes[T ~uint64](all []T) []whole { return each(all, func(n T) whole { return whole(n) }) }

// each returns the results of f for a list, nil for nil.
func each[T, U any](all []T, f func(T) U) []U {
	if all == nil {
		return nil
	}
	results := make([]U, len(all))
	for i, v := range all {
		results[i] = f(v)
	}
	return results
}

// eachOf returns the results of f for the values of a map, nil for nil.
func eachOf[K comparable, T, U any](all map[K]T, f func(T) U) map[K]U {
	if all == nil {
		return nil
	}
	results := make(map[K]U, len(all))
	for k, v := range all {
		results[k] = f(v)
	}
	return results
}
