package scenario

import (
	"slices"
	"strings"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
)

// Wish is the list of voters that a program names to its process after each Init, from a time on. A process
// that is up then keeps its earlier list until it returns from a crash.
type Wish struct {
	At
	Voters []election.ID
}

// Command is a command that a program gives to its process at a time.
type Command struct {
	Time    time.Duration
	Process election.ID   // If zero, the process that leads then; if none does, the command is omitted.
	Name    string        // of a command of the algorithm
	Voters  []election.ID // if the command is about a list of processes
}

// Wish returns the voters that the program of process p names at a time. It is nil if there are no Wishes.
func (in *Input) Wish(p int, now time.Duration) (voters []election.ID) {
	for i := range in.Wishes {
		// The first list holds from the beginning, or a process that starts later would have none.
		if w := &in.Wishes[i]; w.ID == in.IDs[p] && (w.Time <= now || voters == nil) {
			voters = w.Voters
		}
	}
	return voters
}

// WishCommands returns the commands by which a program names voters after Init. They are empty if there is no
// list.
func (in *Input) WishCommands(voters []election.ID) []election.Message {
	for _, c := range in.Algorithm.Commands {
		if c.Wish {
			return in.Algorithm.CommandsOf(c.Name, voters)
		}
	}
	return nil
}

// checkCommands checks the wishes, and the commands that are planned.
func (in *Input) checkCommands() error {
	if len(in.Wishes)+len(in.Commands) == 0 {
		return nil
	}
	where := in.Positions()
	if err := in.checkWishes(where); err != nil {
		return err
	}
	for i := range in.Commands {
		c := &in.Commands[i]
		if c.Time < 0 {
			return input.Errorf("commands[%d].at: %s is less than 0", i, InUnits(c.Time))
		}
		if i > 0 && c.Time < in.Commands[i-1].Time {
			return input.Errorf("commands[%d].at: %s is before the previous command, at %s", i, InUnits(c.Time),
				InUnits(in.Commands[i-1].Time))
		}
		if err := in.checkCommand(c.Process, c.Name, c.Voters, where); err != nil {
			return input.Errorf("commands[%d].%s", i, input.Reason(err))
		}
	}
	return nil
}

func (in *Input) checkWishes(where map[election.ID]int) error {
	if len(in.Wishes) == 0 {
		return nil
	}
	if !slices.ContainsFunc(in.Algorithm.Commands, func(c election.CommandKind) bool { return c.Wish }) {
		return input.Errorf("wishes: the voters of %s never change; omit them", in.Algorithm.Title())
	}
	last := make(map[election.ID]time.Duration)
	for i := range in.Wishes {
		w := &in.Wishes[i]
		before, again := last[w.ID]
		switch _, ok := where[w.ID]; {
		case !ok:
			return input.Errorf("wishes[%d]: %d is not a process", i, w.ID)
		case w.Time < 0:
			return input.Errorf("wishes[%d]: %s is less than 0", i, InUnits(w.Time))
		case again && w.Time <= before:
			return input.Errorf("wishes[%d]: %s is not after the previous wish of %d, at %s", i, InUnits(w.Time), w.ID,
				InUnits(before))
		}
		if err := checkVoters(w.Voters, where); err != nil {
			return input.Errorf("wishes[%d]: %s", i, input.Reason(err))
		}
		last[w.ID] = w.Time
	}
	for _, id := range in.IDs {
		// A process without a list would count all processes as voters, and others do not.
		if _, ok := last[id]; !ok {
			return input.Errorf("wishes: process %d has no wish; name the voters that it wants, as in [%d, 0, [%d]]", id, id,
				in.IDs[0])
		}
	}
	return nil
}

// checkVoters checks a list of voters.
func checkVoters(voters []election.ID, where map[election.ID]int) error {
	if len(voters) == 0 {
		return input.Errorf("voters: at least one is required")
	}
	for i, id := range voters {
		switch _, ok := where[id]; {
		case !ok:
			return input.Errorf("voters[%d]: %d is not a process", i, id)
		case slices.Contains(voters[:i], id):
			return input.Errorf("voters[%d]: %d is listed twice", i, id)
		}
	}
	return nil
}

// checkCommand checks a command. If process is zero, the command is for the leader.
func (in *Input) checkCommand(process election.ID, name string, voters []election.ID,
	where map[election.ID]int) error {
	commands := in.Algorithm.Commands
	k := slices.IndexFunc(commands, func(c election.CommandKind) bool { return c.Name == name && !c.Wish })
	_, known := where[process]
	switch {
	case in.commandNames() == "":
		return input.Errorf("command: %s has no commands", in.Algorithm.Title())
	case name == "":
		return input.Errorf("command: missing; %s has %s", in.Algorithm.Title(), in.commandNames())
	case k < 0:
		return input.Errorf("command: %s has no command %s, only %s", in.Algorithm.Title(), quote(name),
			in.commandNames())
	case process != 0 && !known:
		return input.Errorf("process: %d is not a process", process)
	case !commands[k].Listed && voters != nil:
		return input.Errorf("voters: %s takes no voters", quote(name))
	case !commands[k].Listed:
		return nil
	case len(in.Wishes) == 0:
		return input.Errorf("command: without wishes the voters never change; list the voters that each process wishes in \"wishes\"")
	}
	return checkVoters(voters, where)
}

// commandNames lists the commands that a file can give.
func (in *Input) commandNames() string {
	var names []string
	for _, c := range in.Algorithm.Commands {
		if c.Name != "" && !c.Wish {
			names = append(names, c.Name)
		}
	}
	return strings.Join(names, ", ")
}

// wishes reads lists of an id, a time and the voters.
func (p *parser) wishes() []Wish {
	all := []Wish{}
	p.list(MaxProcesses, func(int) {
		var w Wish
		p.tuple("a list [id, time, voters]", func() { w.ID = p.id() }, func() { w.Time = p.time() },
			func() { w.Voters = p.ids() })
		all = append(all, w)
	})
	return all
}

func (p *parser) commands() []Command {
	all := []Command{}
	p.list(MaxProcesses, func(int) {
		var c Command
		p.object(func(name string) bool {
			switch name {
			case "at":
				c.Time = p.time()
			case "process":
				c.Process = p.id()
			case "command":
				c.Name = p.text()
			case "voters":
				c.Voters = p.ids()
			default:
				return false
			}
			return true
		})
		all = append(all, c)
	})
	return all
}
