// Package report prints: what runs, checks, soaks and experiments have found, and what the catalog has, as words,
// tables, CSV, Markdown and JSON.
//
//	report.WriteList(os.Stdout, catalog.All(), report.Page{Width: 80})
//	report.WriteComparison(os.Stdout, cells, 80)
//
// A result in JSON is one object on one line, whose members are in the order of the fields. A member that is null
// is not known, or does not apply.
package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/go-election/election/internal/prose"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
)

// Write writes one object on one line.
func Write(w io.Writer, object any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(object)
}

// Run is the JSON form of what came out of a run.
type Run struct {
	Algorithm    string    `json:"algorithm"`
	Variant      string    `json:"variant"`
	N            int       `json:"n"`
	Seed         Number    `json:"seed"`
	Schedule     string    `json:"schedule"`
	Leader       *Number   `json:"leader"`
	Leaders      int       `json:"leaders"`
	Agreed       bool      `json:"agreed"`
	Grouped      *bool     `json:"grouped,omitempty"` // of algorithms with a leader a group
	Terminated   bool      `json:"terminated"`
	Messages     uint64    `json:"messages"`
	ByKind       ByKind    `json:"by_kind"`
	Lost         *uint64   `json:"lost,omitempty"`
	Duplicated   *uint64   `json:"duplicated,omitempty"`
	Reordered    *uint64   `json:"reordered,omitempty"`
	Bits         uint64    `json:"bits"`
	Time         *Units    `json:"time"`
	Chain        uint64    `json:"chain"`
	TraceHash    *Hash     `json:"trace_hash"`
	Outside      []Outside `json:"outside_model,omitempty"`
	WallNS       int64     `json:"wall_ns"`
	NSPerMessage float64   `json:"ns_per_message"`

	EntryOrder *[]Number `json:"entry_order,omitempty"` // of algorithms with critical sections
	Entries    *[]Entry  `json:"entries,omitempty"`
}

// Outcome is what came out of a run.
type Outcome struct {
	verdict.Result
	Schedule string
	Virtual  *Virtual // nil if time was real
	Wall     time.Duration
}

// Virtual is what only a simulation measures.
type Virtual struct {
	Time time.Duration
	Hash uint64

	Lost, Duplicated, Reordered uint64 // messages

	Outside []Outside // the acts that have left the model of the algorithm
}

// Outside is the JSON form of an act that has left the model of the algorithm.
type Outside struct {
	After uint64 `json:"after"` // how many occurrences came before the act
	Why   string `json:"why"`
}

// mostOutside is the number of acts outside the model that are listed.
const mostOutside = 6

// WhyOutside returns a line for each act that has left the model of the algorithm, with the reason.
func (o *Outcome) WhyOutside() (lines []string) {
	if o.Virtual == nil {
		return nil
	}
	all := o.Virtual.Outside
	for _, act := range all[:min(len(all), mostOutside)] {
		lines = append(lines, fmt.Sprintf("after %s: %s", prose.Grouped(act.After), act.Why))
	}
	if more := len(all) - mostOutside; more > 0 {
		lines = append(lines, fmt.Sprintf("and %s more", prose.Plural(more, "act")))
	}
	return lines
}

// NewRun returns the form of an outcome. Links count what they lost and copied if they are lossy.
func NewRun(in *scenario.Input, seed uint64, o *Outcome, lossy bool) Run {
	r := Run{
		Algorithm: in.Algorithm.Name, Variant: in.Algorithm.Variant, N: len(in.IDs),
		Seed: Number(seed), Schedule: o.Schedule,
		Leaders: o.Claimants, Agreed: o.Agreed, Terminated: o.Terminated,
		Messages: o.Messages, ByKind: o.ByKind, Bits: o.Bits, Chain: o.Chain,
		WallNS: o.Wall.Nanoseconds(), NSPerMessage: o.PerMessage(),
	}
	if o.Groups {
		r.Grouped = new(o.Grouped)
	}
	if o.Leader != 0 {
		r.Leader = new(Number(o.Leader))
	}
	if v := o.Virtual; v != nil {
		r.Time, r.TraceHash = new(Units(v.Time)), new(Hash(v.Hash))
		r.Outside = v.Outside
		if lossy {
			r.Lost, r.Duplicated = &v.Lost, &v.Duplicated
			if in.Faults.Reorder > 0 {
				r.Reordered = &v.Reordered
			}
		}
	}
	if in.Algorithm.Sections > 0 {
		order, when := make([]Number, len(o.Entries)), make([]Entry, len(o.Entries))
		for i, e := range o.Entries {
			order[i], when[i] = Number(e.ID), Entry{At: Units(e.At), ID: Number(e.ID)}
		}
		r.EntryOrder, r.Entries = &order, &when
	}
	return r
}

// PerMessage returns how many nanoseconds a message took, to the hundredth.
func (o *Outcome) PerMessage() float64 {
	if o.Messages == 0 {
		return 0
	}
	// More digits would suggest a precision that the clock does not have.
	return rounded(float64(o.Wall.Nanoseconds()) / float64(o.Messages))
}

// rounded returns a number to the hundredth.
func rounded(x float64) float64 { return math.Round(100*x) / 100 }

// perSecond returns how many things were done in a second.
func perSecond(things uint64, wall time.Duration) float64 {
	// A coarse clock may measure no time at all.
	return math.RoundToEven(float64(things) / max(wall.Seconds(), 1e-9))
}
