package scenario

import (
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/fault"
)

// Pause is a time for which a process handles nothing. What comes for it waits, in order, until
// it continues; a crash drops that and ends the pause. Pauses of one process may overlap.
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
			return input.Errorf("pause_at[%d]: %s is less than 0", i, InUnits(pause.From))
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
			p.wrong("0 is too small; omit it if no failure detector reports crashes")
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
	case "wishes":
		s.Wishes = p.wishes()
	case "commands":
		s.Commands = p.commands()
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
					p.wrong("0 is too small; omit it if the partition never heals")
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
