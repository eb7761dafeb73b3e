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

// disorder is a run without a schedule: any event may come next. Messages are reordered, lost and duplicated,
// timers fire early or late, detectors err, and processes recover. Elections need not end well. The purpose is
// to test properties that must hold in every state, such as State, in states that runs within the model seldom
// reach.
type disorder struct {
	*rand.Rand
	h        *history
	hosts    []election.TermKeeper
	saved    [][]byte // by process: the state to restart with
	underWay []arrival
	timers   []running
	at       time.Duration
	calm     bool // no election is abandoned and no process recovers, so that one election gets far
}

// arrival is a message in flight.
type arrival struct {
	to int
	ev election.Event
}

// running is a running timer.
type running struct {
	p            int
	timer, layer uint8
}

// many is the number of processes of a disorderly run in which a process has a port to every other, if the
// topology allows it, so that sets of ports need more than one word.
const many = 40

// disorderly returns the history of a disorderly run with the given number of steps and random parameters. A
// panic of a Node ends the run: it is reported by the property Unknown.
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

// drawn returns the election of a disorderly run. It removes random parameters one by one until the algorithm
// accepts the rest.
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

// step performs the next random event.
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
			m.ev.Op = []election.Op{election.Suspect, election.Trust}[d.IntN(2)]
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

// comeBack makes a process recover, with the state that it saved last or without state.
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

// expire fires a timer, or starts a process if no timer is running.
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

// deliver delivers the oldest message or, equally likely, a random one; occasionally it loses or duplicates the
// message.
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

// take steps a process with an event, and records the event and its effects.
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
