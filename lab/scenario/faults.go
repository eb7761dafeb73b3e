package scenario

import (
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/fault"
)

// Pause is a time for which a process handles nothing. What comes for it waits, in order, until
// it goes on; a crash drops that and ends the pause. Pauses of one process may overlap.
type Pause struct {
	ID          election.ID
	From, Until time.Duration
}

// Faulty reports whether anything goes wrong: on links, or with processes.
func (in *Input) Faulty() bool {
	return in.Faults.Any() || len(in.Crashed) > 0 || in.Disturbed()
}

// checkPauses wants all that pause to be processes, and to go on at some time.
func (in *Input) checkPauses(where map[election.ID]int) error {
	for i, pause := range in.PauseAt {
		if _, ok := where[pause.ID]; !ok {
			return input.Errorf("pause_at[%d]: %d is not a process", i, pause.ID)
		}
		switch {
		case pause.From < 0:
			return input.Errorf("pause_at[%d]: %s is before the beginning", i, InUnits(pause.From))
		case pause.Until <= pause.From:
			return input.Errorf("pause_at[%d]: %s is not after the beginning of the pause, %s", i,
				InUnits(pause.Until), InUnits(pause.From))
		}
	}
	return nil
}

// faults reads the fields of what goes wrong.
func (p *parser) faults(s *Scenario, name string) bool {
	switch name {
	case "crashed":
		s.Crashed = p.ids()
	case "crash_at":
		s.CrashAt = p.ats()
	case "recover_at":
		s.RecoverAt = p.ats()
	case "restart_at":
		s.RestartAt = p.ats()
	case "suspect_after":
		// Zero means no detector in an Input, so a zero in a file is more likely a mistake.
		if s.SuspectAfter = p.time(); s.SuspectAfter == 0 {
			p.wrong("0 is too early; without it no failure detector reports crashes")
		}
	case "pause_at":
		s.PauseAt = p.pauses()
	case "clock_rates":
		s.ClockRates = p.clockRates()
	case "loss":
		s.Faults.Loss = p.probability()
	case "duplicate":
		s.Faults.Duplicate = p.probability()
	case "reorder":
		s.Faults.Reorder = p.probability()
	case "partitions":
		s.Faults.Partitions = p.partitions()
	default:
		return false
	}
	return true
}

func (p *parser) probability() float64 {
	f := p.number("a probability")
	if f > 1 {
		p.wrong("%v is not a probability, from 0 to 1", f)
	}
	return f
}

// pauses reads lists of an id and two times.
func (p *parser) pauses() []Pause {
	all := []Pause{}
	p.list(MaxProcesses, func(int) {
		var pause Pause
		p.tuple("a list [id, from, until]",
			func() { pause.ID = p.id() }, func() { pause.From = p.time() }, func() { pause.Until = p.time() })
		all = append(all, pause)
	})
	return all
}

func (p *parser) partitions() []fault.Partition {
	all := []fault.Partition{}
	p.list(MaxProcesses, func(int) {
		var cut fault.Partition
		p.object(func(name string) bool {
			switch name {
			case "from":
				cut.From = p.time()
			case "until":
				// As with suspect_after: in a Partition zero means without end.
				if cut.Until = p.time(); cut.Until == 0 {
					p.wrong("0 is not an end; without it the partition never heals")
				}
			case "groups":
				cut.Groups = p.groups()
			case "one_way":
				cut.OneWay = *p.truth()
			default:
				return false
			}
			return true
		})
		all = append(all, cut)
	})
	return all
}

func (p *parser) groups() [][]election.ID {
	all := [][]election.ID{}
	p.list(MaxProcesses, func(int) { all = append(all, p.ids()) })
	return all
}

// faults writes the fields of what goes wrong.
func (w *writer) faults(s *Scenario) {
	writeList(w, "crashed", s.Crashed, w.id)
	writeList(w, "crash_at", s.CrashAt, w.idTime)
	writeList(w, "recover_at", s.RecoverAt, w.idTime)
	writeList(w, "restart_at", s.RestartAt, w.idTime)
	if s.SuspectAfter != 0 {
		w.field("suspect_after")
		w.time(s.SuspectAfter)
	}
	writeList(w, "pause_at", s.PauseAt, func(pause Pause) {
		w.tuple(func() { w.id(pause.ID) }, func() { w.time(pause.From) }, func() { w.time(pause.Until) })
	})
	writeList(w, "clock_rates", s.ClockRates, func(r ClockRate) {
		w.tuple(func() { w.id(r.ID) }, func() { w.number(r.Rate) })
	})
	w.probability("loss", s.Faults.Loss)
	w.probability("duplicate", s.Faults.Duplicate)
	w.probability("reorder", s.Faults.Reorder)
	writeList(w, "partitions", s.Faults.Partitions, func(cut fault.Partition) {
		w.object(func() { w.partition(&cut) })
	})
}

func (w *writer) probability(name string, f float64) {
	if f != 0 {
		w.field(name)
		w.number(f)
	}
}

func (w *writer) partition(cut *fault.Partition) {
	if cut.From != 0 {
		w.field("from")
		w.time(cut.From)
	}
	if cut.Until != 0 {
		w.field("until")
		w.time(cut.Until)
	}
	w.groups(cut.Groups)
	if cut.OneWay {
		w.truth("one_way", &cut.OneWay)
	}
}

func (w *writer) groups(all [][]election.ID) {
	writeList(w, "groups", all, func(group []election.ID) { writeElements(w, group, w.id) })
}
