package electiontest

import (
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/topology"
	"github.com/go-election/election/params"
)

// disorder is a run without a schedule: whatever a process can meet it may meet next. Messages overtake each
// other, are lost and arrive twice, timers run out early or late, detectors err, processes come back. No
// election needs to end well: what holds for every state and event, as State does, is tried on states that
// runs within the model seldom reach.
type disorder struct {
	*rand.Rand
	h        *history
	hosts    []election.TermKeeper
	saved    [][]byte // by process, as it comes back with it
	underWay []arrival
	timers   []running
	at       time.Duration
	calm     bool // no election is given up, and no process comes back: one election goes far
}

// arrival is a message under way.
type arrival struct {
	to int
	ev election.Event
}

// running is a timer that runs.
type running struct {
	p            int
	timer, layer uint8
}

// many is the number of processes of a disorderly run in which one has as many ports as there are, if its
// shape allows that: sets of ports are more than one word then.
const many = 40

// disorderly returns the history of a disorderly run of a number of steps. Its parameters are drawn too.
// A Node that panics ends it: that is for the property Unknown to report.
func (t *trial) disorderly(number uint64, steps int) (*history, error) {
	d := &disorder{Rand: rand.New(rand.NewPCG(number, 0x64697372))}
	sizes := t.sizes(t.Processes)
	n := sizes[d.IntN(min(len(sizes), 5))]
	d.calm = number%4 == 3
	if number == 7 {
		n = slices.Max(t.sizes(many))
		steps *= 4
	}
	in, err := t.drawn(d, n)
	if err != nil {
		return nil, err
	}
	d.h = &history{in: in}
	d.h.prepare()
	d.hosts, d.saved = d.h.hosts(), make([][]byte, n)
	for p := range n {
		if d.take(moment{p: p, ev: election.Event{Op: election.Init}}) != nil {
			return d.h, nil
		}
	}
	for p := range n {
		if d.IntN(2) == 0 && d.take(moment{p: p, ev: election.Event{Op: election.Start}}) != nil {
			return d.h, nil
		}
	}
	for range steps {
		if d.step() != nil {
			break
		}
	}
	return d.h, nil
}

// drawn returns the election of a disorderly run. Of the parameters drawn those that the algorithm refuses
// are left out, one after another.
func (t *trial) drawn(d *disorder, n int) (in scenario.Input, err error) {
	in.IDs = shuffled(n, d.Uint64())
	if d.IntN(3) == 0 {
		in.Priorities = falling(n)
	}
	if n >= many && (t.Topology == election.Tree || t.Topology == election.Graph) {
		star, err := topology.Star(n)
		if err != nil {
			return in, err
		}
		if in.Topology = star; t.Topology == election.Graph {
			if in.Topology, err = topology.AsGraph(star); err != nil {
				return in, err
			}
		}
	}
	values := params.Draw(t.Algorithm.Params, in.IDs, d.IntN)
	maps.Copy(values, t.Options.Params)
	for {
		in.Algorithm, err = scenario.Configure(t.Algorithm, values, in.IDs, scenario.Unit)
		extra := slices.Sorted(maps.Keys(values))
		extra = slices.DeleteFunc(extra, func(name string) bool {
			_, given := t.Options.Params[name]
			return given
		})
		if err == nil || len(extra) == 0 {
			break
		}
		delete(values, extra[d.IntN(len(extra))])
	}
	if err != nil {
		return in, err
	}
	return in, in.Check()
}

// step lets the next thing happen.
func (d *disorder) step() error {
	d.at += time.Duration(d.Int64N(int64(scenario.Unit)))
	p := d.IntN(len(d.hosts))
	m := moment{p: p, ev: election.Event{At: d.at}}
	switch what := d.IntN(32); what {
	case 0, 1:
		m.ev.Op = election.Start
	case 2, 3:
		switch {
		case d.calm:
			return d.deliver()
		case what == 2:
			m.ev.Op = election.Reelect
		default:
			return d.comeBack(p)
		}
	case 4, 5:
		m.ev.Op = election.Command
		m.ev.Msg = election.Message{Kind: uint8(1 + d.IntN(2)), Round: uint32(d.IntN(3)),
			Flags: uint8(d.IntN(max(d.h.in.Algorithm.Sections, 1)))}
	case 6, 7, 8:
		if ports := d.h.in.Topology.Ports(p); ports > 0 {
			m.ev.Port = election.Port(d.IntN(ports))
			m.ev.Op = []election.Op{election.Suspect, election.Left, election.Trust,
				election.Joined}[d.IntN(4)]
			return d.take(m)
		}
		m.ev.Op = election.Start
	case 9, 10, 11, 12, 13:
		return d.expire()
	default:
		return d.deliver()
	}
	return d.take(m)
}

// comeBack lets a process come back, with the state that it saved last or without.
func (d *disorder) comeBack(p int) error {
	d.timers = slices.DeleteFunc(d.timers, func(r running) bool { return r.p == p })
	m := moment{p: p, ev: election.Event{Op: election.Init, At: d.at}, fresh: true}
	if d.IntN(2) == 0 {
		m.state = d.saved[p]
	}
	if err := d.h.renew(&d.hosts[p], &m); err != nil {
		return err
	}
	if err := d.take(m); err != nil {
		return err
	}
	return d.take(moment{p: p, ev: election.Event{Op: election.Rejoin, At: d.at}})
}

// expire lets a timer run out, or a process start where none runs.
func (d *disorder) expire() error {
	if len(d.timers) == 0 {
		return d.take(moment{p: d.IntN(len(d.hosts)), ev: election.Event{Op: election.Start, At: d.at}})
	}
	i := d.IntN(len(d.timers))
	r := d.timers[i]
	d.timers = slices.Delete(d.timers, i, i+1)
	return d.take(moment{p: r.p, ev: election.Event{Op: election.Timeout, At: d.at, Timer: r.timer,
		Layer: r.layer}})
}

// deliver delivers the oldest message or, as often, any; now and then it is lost, or comes again.
func (d *disorder) deliver() error {
	if len(d.underWay) == 0 {
		return d.expire()
	}
	i := d.IntN(2) * d.IntN(len(d.underWay))
	next := d.underWay[i]
	chance := d.IntN(32)
	if chance > 2 {
		d.underWay = slices.Delete(d.underWay, i, i+1)
	}
	if chance == 3 {
		return nil
	}
	next.ev.At = d.at
	return d.take(moment{p: next.to, ev: next.ev})
}

// take lets a process take an event, notes that, and what comes of it.
func (d *disorder) take(m moment) error {
	fx, err := d.h.step(len(d.h.moments), &d.hosts[m.p], m.p, m.ev)
	if err != nil {
		return err
	}
	d.h.moments = append(d.h.moments, m)
	for _, out := range fx.Sends {
		if q, port, ok := d.h.in.Topology.Link(m.p, out.Port); ok {
			d.underWay = append(d.underWay, arrival{q, election.Event{Op: election.Recv, Port: port,
				Msg: out.Msg}})
		}
	}
	for _, c := range fx.Timers {
		d.timers = slices.DeleteFunc(d.timers, func(r running) bool {
			return r.p == m.p && r.layer == c.Layer && (c.All || r.timer == c.Timer)
		})
		if !c.Stop {
			d.timers = append(d.timers, running{m.p, c.Timer, c.Layer})
		}
	}
	if fx.Saved() {
		d.saved[m.p] = new(election.State).Append(nil, &d.hosts[m.p])
	}
	return nil
}
