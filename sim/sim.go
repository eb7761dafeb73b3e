// Package sim runs an election in virtual time, deterministically: discrete events, one seed that
// decides everything, and the same production Nodes that goroutines run.
//
// Two schedules exist. Under [UnitDelay] every message takes one unit; at one instant crashes come
// first, then starts and recoveries, then messages in the order in which they were sent, then
// timers in the order in which they were set. Under [RandomDelay] every message takes a delay of its
// own, and links keep the order or not.
//
// A run counts messages by kind, bits, time and the longest chain of causes, and mixes every
// event into a hash: the same input and seed give the same hash, on any machine.
//
// [Run] returns no error where an election has simply failed: whether one leader is known to all
// is for [election.Result.Err] to say.
//
// # Limitations
//
// Links lose and duplicate nothing. Handlers take no time.
package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/scenario"
)

// Unit is one unit of virtual time.
const Unit = scenario.Unit

// Schedule says when messages arrive.
type Schedule string

// The schedules.
const (
	UnitDelay   Schedule = "unit"
	RandomDelay Schedule = "random"
)

// Config is a run: what to run, and how.
type Config struct {
	scenario.Input

	Schedule  Schedule // If empty, UnitDelay.
	Delay     Delay    // of RandomDelay
	Unordered bool     // links do not keep the order; only with RandomDelay
	Force     bool     // run an algorithm that needs order on links that do not keep it
	Seed      uint64

	Until time.Duration // If zero, until nothing is left to happen.

	// Progress, if not nil, is called now and then with the messages delivered so far.
	Progress func(delivered uint64, now time.Duration)
}

// Result is what came out of a run.
type Result struct {
	election.Result
	Time      time.Duration // when the last message arrived, also at a process that was down
	TraceHash uint64        // of every event, in order
	Steps     uint64        // messages delivered
	Wall      time.Duration // from the first step to the last, building excluded
}

// Run runs an election to its end. It returns early, with an error, when ctx ends. A start that
// the algorithm refuses does not stop the run: the Result is whole, and the error, a
// [election.ProcessError], tells of the first one.
func Run(ctx context.Context, c Config) (Result, error) {
	s, err := New(c)
	if err != nil {
		return Result{}, err
	}
	begin := time.Now()
	err = s.Run(ctx)
	r := s.Result()
	r.Wall = time.Since(begin)
	return r, err
}

// ErrTime is wrapped by the error of a run that goes on until virtual time, which counts
// nanoseconds in 64 bits, has no more room: for some four thousand million units.
var ErrTime = errors.New("sim: virtual time has run out")

// never is later than everything.
const never = time.Duration(math.MaxInt64)

// Sim is a run under way.
type Sim struct {
	config Config
	env    *election.Env
	procs  []proc
	fifo   fifo      // the messages of UnitDelay
	dates  *calendar // those of RandomDelay
	last   links     // of RandomDelay with order
	timers timers
	book   outcomes
	warmed uint32         // keeps warm from being optimised away
	event  election.Event // the local one that is being handled
	state
}

// state is the part of a run that a plain copy copies.
type state struct {
	now     time.Duration
	random  random
	control controls
	tally   election.Tally
	hash    hash
	longest uint32        // chain of messages
	arrived time.Duration // when the last message did
	steps   uint64
	begun   bool
	current int   // the process that steps
	err     error // what ended the run
	refused error // the first start that was refused
}

// proc is a process.
type proc struct {
	host    election.Recurring
	depth   uint32 // the longest chain of messages that has reached it
	outcome uint32 // in the book
	down    bool
}

// New prepares a run.
func New(c Config) (*Sim, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	s := &Sim{config: c, state: state{random: random{c.Seed}}}
	s.env = election.NewEnv(&s.config.Input, func(n int) int { return int(s.random.below(uint64(n))) })
	s.book.list = make([]election.Outcome, 1)
	s.timers.next = never
	s.procs = make([]proc, len(c.IDs))
	for p := range s.procs {
		s.procs[p].host = s.config.Node(p)
	}
	if c.Schedule == RandomDelay {
		s.dates = newCalendar(s.config.Delay.horizon())
		if !c.Unordered {
			s.last = newLinks()
		}
	}
	s.control = newControls(&s.config.Input)
	for _, id := range c.Crashed {
		s.procs[s.control.where[id]].down = true
	}
	return s, nil
}

// LongestDelay bounds the delays of a random schedule, and so the calendar that they need.
const LongestDelay = 1e6 * Unit

// lastTime is when virtual time ends. It leaves room for the longest delay.
const lastTime = never / 2

// Check completes the Config and returns an error that wraps [election.ErrInput] or
// [election.ErrNeedsFIFO] if it cannot be run. [New] calls it.
func (c *Config) Check() error {
	if err := c.Input.Check(); err != nil {
		return err
	}
	if c.Schedule == "" {
		c.Schedule = UnitDelay
	}
	switch {
	case c.Schedule != UnitDelay && c.Schedule != RandomDelay:
		return bad("schedule: %q is neither unit nor random", c.Schedule)
	case c.Schedule == UnitDelay && c.Unordered:
		return bad("fifo: the unit schedule keeps the order; random does not need to")
	case c.Schedule == UnitDelay && c.Delay != (Delay{}):
		return bad("delay: only the random schedule draws delays")
	case c.Until < 0:
		return bad("until: %v units is before the beginning", inUnits(c.Until))
	case c.Algorithm.NeedsFIFO && c.Unordered && !c.Force:
		return fmt.Errorf("%w: %s", election.ErrNeedsFIFO, c.Algorithm.Title())
	}
	if c.Schedule == UnitDelay {
		return nil
	}
	return c.Delay.check()
}

// check completes a Delay.
func (d *Delay) check() error {
	if *d == (Delay{}) {
		d.Max = 2 * Unit
	}
	switch d.Distribution {
	case Exponential:
		if longest := LongestDelay / longestMeans; d.Mean < 1 || d.Mean > longest {
			return bad("delay: a mean of %v units, it must be above 0 and at most %v", inUnits(d.Mean), inUnits(longest))
		}
		return nil
	case "", Uniform:
	default:
		return bad("delay: distribution %q is neither uniform nor exponential", d.Distribution)
	}
	if d.Min == 0 { // nothing arrives when it is sent
		d.Min = 1
	}
	switch {
	case d.Min < 0 || d.Max < d.Min:
		return bad("delay: from %v to %v units", inUnits(d.Min), inUnits(d.Max))
	case d.Max > LongestDelay:
		return bad("delay: up to %v units, at most %v can be", inUnits(d.Max), inUnits(LongestDelay))
	}
	return nil
}

func inUnits(d time.Duration) float64 { return float64(d) / float64(Unit) }

func bad(format string, args ...any) error {
	return fmt.Errorf("%w: %s", election.ErrInput, fmt.Sprintf(format, args...))
}

// pause is how many steps pass between two looks at the context.
const pause = 1 << 14

// Run runs until nothing is left to happen, until the time that Config.Until sets, or until ctx
// ends.
func (s *Sim) Run(ctx context.Context) error {
	if err := s.run(ctx); err != nil {
		return err
	}
	return errors.Join(s.err, s.refused)
}

func (s *Sim) run(ctx context.Context) error {
	defer s.catch()
	for i := 0; s.next(); i++ {
		if i%pause != 0 {
			continue
		}
		if ctx.Err() != nil {
			return fmt.Errorf("sim: stopped after %d messages: %w", s.steps, context.Cause(ctx))
		}
		if s.config.Progress != nil && i%(64*pause) == 0 {
			s.config.Progress(s.steps, s.now)
		}
	}
	return nil
}

// catch turns the panic of a Node into the error that ends the run.
func (s *Sim) catch() {
	if r := recover(); r != nil {
		s.fail(s.current, fmt.Errorf("%w: %v", election.ErrPanic, r))
	}
}

// Step lets the next thing happen: a crash, a start or recovery, a message or a timer. It
// returns false when there is none.
func (s *Sim) Step() (more bool) {
	defer s.catch()
	return s.next()
}

func (s *Sim) next() (more bool) {
	if s.err != nil {
		return false
	}
	if !s.begun {
		s.begin()
	}
	if s.control.next <= s.now { // before any message or timer of this instant
		s.act(s.control.pop())
		return s.err == nil
	}
	m := s.front()
	at := never
	if m != nil {
		at = m.ev.At
	}
	switch {
	case s.control.next <= at && s.control.next <= s.timers.next:
		at = s.control.next
	case s.timers.next < at:
		at = s.timers.next
	}
	if at == never || s.config.Until > 0 && at > s.config.Until {
		return false
	}
	if at > lastTime {
		s.err = ErrTime
		return false
	}
	s.now = at
	switch {
	case at == s.control.next:
		s.act(s.control.pop())
	case m != nil && at == m.ev.At:
		s.deliver(m)
		s.pop()
	default:
		s.timeout(s.timers.pop())
	}
	return s.err == nil
}

func (s *Sim) front() *entry {
	if s.dates != nil {
		return s.dates.front()
	}
	return s.fifo.front()
}

func (s *Sim) pop() {
	if s.dates != nil {
		s.dates.pop()
	} else {
		s.fifo.pop()
	}
}

// begin gives every process that is up its first event.
func (s *Sim) begin() {
	s.begun = true
	for p := range s.procs {
		if !s.procs[p].down {
			s.local(p, election.Event{Op: election.Init})
		}
	}
}

// deliver gives a message to its receiver.
func (s *Sim) deliver(m *entry) {
	if s.steps%warmAhead == 0 {
		s.warm()
	}
	s.steps++
	s.arrived = m.ev.At
	s.hash.add(&m.ev, m.to)
	p := &s.procs[m.to]
	if p.down {
		return
	}
	if p.depth < m.depth {
		p.depth = m.depth
	}
	s.step(int(m.to), p, &m.ev)
}

const warmAhead = 16

// warm reads the processes that the next messages go to, all at once, so that the cache misses
// overlap instead of coming one after another.
func (s *Sim) warm() {
	var sum uint32
	for i := range warmAhead {
		var m *entry
		if s.dates != nil {
			m = s.dates.peek(i)
		} else {
			m = s.fifo.peek(i)
		}
		if m == nil {
			break
		}
		sum += s.procs[m.to].depth
	}
	s.warmed = sum
}

// local gives a process an event that no message brings.
func (s *Sim) local(p int, ev election.Event) {
	ev.At = s.now
	s.event = ev
	s.hash.add(&s.event, uint32(p))
	s.step(p, &s.procs[p], &s.event)
}

// step steps a Node and carries out what it wants done.
func (s *Sim) step(i int, p *proc, ev *election.Event) {
	fx := s.env.Begin(i)
	s.current = i
	p.host.Step(s.env, ev)
	for k := range fx.Sends {
		s.send(i, p.depth+1, &fx.Sends[k])
	}
	if fx.Set != 0 {
		s.effects(i, p, fx)
	}
}

// send puts a message on its way.
func (s *Sim) send(from int, depth uint32, out *election.Outgoing) {
	to, back, ok := s.config.Topology.Link(from, out.Port)
	if !ok {
		s.fail(from, fmt.Errorf("%w %d", election.ErrPort, out.Port))
		return
	}
	s.tally.Add(out.Msg.Kind)
	if s.longest < depth {
		s.longest = depth
	}
	var m *entry
	at := s.now + Unit
	if s.dates == nil {
		m = s.fifo.push()
	} else {
		at = s.draw(from, out.Port)
		m = s.dates.push(s.now, at)
	}
	if at > lastTime {
		s.fail(from, ErrTime)
	}
	m.ev.At, m.ev.Msg, m.ev.Port, m.ev.Op = at, out.Msg, back, election.Recv
	m.to, m.depth = uint32(to), depth
}

// draw returns when a message that is sent now arrives.
func (s *Sim) draw(from int, port election.Port) time.Duration {
	at := s.now + s.config.Delay.draw(&s.random)
	if s.config.Unordered {
		return at
	}
	last := s.last.last(s.config.Topology.Index(from, port))
	*last = max(*last, at) // not before what was sent over this link earlier
	return *last
}

// effects carries out the rarer things that a Step may want.
func (s *Sim) effects(i int, p *proc, fx *election.Effects) {
	for k := range fx.Timers {
		if err := s.timers.change(i, s.now, &fx.Timers[k], &s.random); err != nil {
			s.fail(i, err)
		}
	}
	if fx.Set&election.DidDecide != 0 {
		p.outcome = s.book.number(fx.Outcome)
	}
	if fx.Set&election.DidRefuse != 0 && s.refused == nil {
		s.refused = &election.ProcessError{ID: s.config.IDs[i], Err: fx.Err}
	}
}

func (s *Sim) fail(i int, err error) {
	if s.err == nil {
		s.err = &election.ProcessError{ID: s.config.IDs[i], Err: err}
	}
}

// Result returns what has come out so far.
func (s *Sim) Result() Result {
	r := Result{Time: s.arrived, TraceHash: s.hash.sum(), Steps: s.steps}
	s.tally.Fill(&r.Result, s.config.Algorithm, s.config.Widths())
	r.Chain = uint64(s.longest)
	var poll election.Poll
	for i := range s.procs {
		if p := &s.procs[i]; !p.down {
			poll.Add(s.book.list[p.outcome], p.host.Ended())
		}
	}
	poll.Fill(&r.Result)
	return r
}

// Outcome returns what a process believes now.
func (s *Sim) Outcome(p int) election.Outcome { return s.book.list[s.procs[p].outcome] }

// Ended reports whether a process knows that its current election has ended.
func (s *Sim) Ended(p int) bool { return s.procs[p].host.Ended() }

// Now returns the virtual time.
func (s *Sim) Now() time.Duration { return s.now }

// Extend sets Config.Until anew, so that a run that has come to its end can go on.
func (s *Sim) Extend(until time.Duration) { s.config.Until = until }

// Post gives a process an event from outside, at the present moment: a Start, the word of a
// failure detector, a Command.
func (s *Sim) Post(p int, ev election.Event) {
	if !s.begun {
		s.begin()
	}
	if !s.procs[p].down {
		s.local(p, ev)
	}
}
