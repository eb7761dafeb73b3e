package run

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// Report tells what came out of a job, as JSON or for people.
func Report(a *console.Console, j *job.Job, o *Outcome, asJSON, another bool) error {
	text := ""
	if asJSON {
		line, err := json.Marshal(newReport(j, o))
		if err != nil {
			return err
		}
		text = string(line) + "\n"
	} else {
		if another {
			text = "\n"
		}
		text += summary(a, j, o)
	}
	_, err := a.Stdout.Write([]byte(text))
	return err
}

// reportJob is the JSON form, its fields in this order.
type report struct {
	Algorithm    string  `json:"algorithm"`
	Variant      string  `json:"variant"`
	N            int     `json:"n"`
	Seed         number  `json:"seed"`
	Schedule     string  `json:"schedule"`
	Leader       *number `json:"leader"`
	Leaders      int     `json:"leaders"`
	Agreed       bool    `json:"agreed"`
	Terminated   bool    `json:"terminated"`
	Messages     uint64  `json:"messages"`
	ByKind       byKind  `json:"by_kind"`
	Lost         *uint64 `json:"lost,omitempty"`
	Duplicated   *uint64 `json:"duplicated,omitempty"`
	Reordered    *uint64 `json:"reordered,omitempty"`
	Bits         uint64  `json:"bits"`
	Time         *Units  `json:"time"`
	Chain        uint64  `json:"chain"`
	TraceHash    *Hash   `json:"trace_hash"`
	WallNS       int64   `json:"wall_ns"`
	NSPerMessage float64 `json:"ns_per_message"`

	EntryOrder *[]number `json:"entry_order,omitempty"` // of algorithms with critical sections
	Entries    *[]entry  `json:"entries,omitempty"`
}

// entry is an entry into a critical section: when, and who.
type entry struct {
	at Units
	id number
}

func (e entry) MarshalJSON() ([]byte, error) { return json.Marshal([2]any{e.at, e.id}) }

func newReport(j *job.Job, o *Outcome) report {
	r := report{
		Algorithm: j.Algorithm.Name, Variant: j.Algorithm.Variant, N: len(j.IDs),
		Seed: number(j.Seed), Schedule: o.schedule,
		Leaders: o.Claimants, Agreed: o.Agreed, Terminated: o.Terminated,
		Messages: o.Messages, ByKind: o.ByKind, Bits: o.Bits, Chain: o.Chain,
		WallNS: o.wall.Nanoseconds(), NSPerMessage: o.perMessage(),
	}
	if o.Leader != 0 {
		leader := number(o.Leader)
		r.Leader = &leader
	}
	if v := o.virtual; v != nil {
		time, hash := Units(v.time), Hash(v.hash)
		r.Time, r.TraceHash = &time, &hash
		if j.BadLinks() {
			r.Lost, r.Duplicated = &v.lost, &v.duplicated
			if j.Faults.Reorder > 0 {
				r.Reordered = &v.reordered
			}
		}
	}
	if j.Algorithm.Sections > 0 {
		r.EntryOrder, r.Entries = entries(o.Entries)
	}
	return r
}

// entries tells who has entered a critical section, and when.
func entries(list []verdict.Entry) (*[]number, *[]entry) {
	order, when := make([]number, len(list)), make([]entry, len(list))
	for i, e := range list {
		order[i], when[i] = number(e.ID), entry{at: Units(e.At), id: number(e.ID)}
	}
	return &order, &when
}

// perMessage returns how many nanoseconds a message took, to the hundredth.
func (o *Outcome) perMessage() float64 {
	if o.Messages == 0 {
		return 0
	}
	ns, _ := strconv.ParseFloat(fmt.Sprintf("%.2f", float64(o.wall.Nanoseconds())/float64(o.Messages)), 64)
	return ns
}

// number is an integer of 64 bits. Those that not every reader of JSON keeps exact are strings.
type number uint64

func (n number) MarshalJSON() ([]byte, error) {
	text := strconv.FormatUint(uint64(n), 10)
	if n > 1<<53 {
		text = `"` + text + `"`
	}
	return []byte(text), nil
}

// Units is a time, told in units and exact.
type Units time.Duration

// String returns the number of units, exactly.
func (u Units) String() string { return scenario.InUnits(time.Duration(u)) }

// MarshalJSON writes the number of units.
func (u Units) MarshalJSON() ([]byte, error) { return []byte(u.String()), nil }

// Hash is told in 16 hexadecimal digits.
type Hash uint64

// String returns the digits.
func (h Hash) String() string { return fmt.Sprintf("%016x", uint64(h)) }

// MarshalJSON writes the digits as text.
func (h Hash) MarshalJSON() ([]byte, error) { return json.Marshal(h.String()) }

// byKind is an object whose members are in the order of the algorithm.
type byKind []observe.KindCount

func (b byKind) MarshalJSON() ([]byte, error) {
	text := []byte{'{'}
	for i, k := range b {
		if i > 0 {
			text = append(text, ',')
		}
		name, err := json.Marshal(k.Kind)
		if err != nil {
			return nil, err
		}
		text = append(append(text, name...), ':')
		text = strconv.AppendUint(text, k.Count, 10)
	}
	return append(text, '}'), nil
}
