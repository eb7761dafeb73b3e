// Package sim simulates elections in virtual time. It runs the same Nodes as the other drivers, as a discrete
// event simulation that one seed determines.
//
// Under the schedule [UnitDelay] every message takes one unit. Under [RandomDelay] each message takes a
// random delay, and links may or may not keep the order. The events of one instant happen in this order:
//
//   - crashes, and pauses that begin;
//   - starts, returns without state, returns with state, and pauses that end;
//   - reports of a failure detector;
//   - events that have waited for paused processes, in the order of their arrival;
//   - messages, in the order of sending;
//   - timers, in the order of setting.
//
// Acts intervene in a run; see [Config.Acts] and [Sim.Do]. An act happens between two events, at the time of
// the first, when the run has had as many occurrences as its After. Under [Hand] nothing but acts happens.
//
// Links fail according to a [fault.Plan]. A reordered message takes an additional delay, of one unit or
// random, and does not keep back later messages, even on links that keep the order. A duplicate arrives after
// another delay, in any order. Messages are counted when a Node sends them: lost messages count, duplicates
// do not. [Result] contains the numbers of both.
//
// Messages, timers and starts of a paused process wait until it resumes. A crash drops them. A process that
// returns after a crash receives Init and Rejoin.
//
// A run counts messages by kind, bits, time and the longest causal chain. It mixes every event into a hash:
// the same input and seed give the same hash on every machine.
//
// [Run] returns no error if an election fails. Use [verdict.Result.Err] to find out whether all processes
// know one leader.
//
// # Limitations
//
// Handlers take no time. A paused process loses no events, however many arrive.
package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/fault"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/verdict"
	"github.com/go-election/election/observe"
)

// Unit is one unit of virtual time.
const Unit = scenario.Unit

// Result is what came out of a run.
type Result struct {
	verdict.Result
	Time      time.Duration // when the last message arrived, also at a process that was down
	TraceHash uint64        // of every event, in order

	Lost       uint64 // messages that links have lost
	Duplicated uint64 // messages of which links have delivered a copy too
	Reordered  uint64 // messages that have taken another delay, and may have been overtaken

	Steps uint64 // messages delivered, copies too
	// Outside are the acts, or steps, that have left the model of the algorithm.
	Outside []Outside
	Wall    time.Duration // from the first step to the last, building excluded
}

// Run runs an election to its end. It returns early, with an error, when ctx ends. A start that
// the algorithm refuses does not stop the run: the Result is whole, and the error, a
// [observe.ProcessError], names the first one.
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

// ErrTime is wrapped by the error of a run that reaches the end of virtual time, after some four thousand
// million units.
var ErrTime = input.Sentinel("sim", "virtual time has run out")

// never is later than everything.
const never = time.Duration(math.MaxInt64)

// Sim is a run in progress.
type Sim struct {
	config Config
	env    *election.Env
	procs  []proc
	fifo   fifo      // the messages of UnitDelay
	byTime *calendar // messages under RandomDelay, or on links that reorder
	last   links     // of RandomDelay with order

	pauses pauses
	clocks *scenario.Clocks // nil if all are right
	own    election.Event   // the event being handled, as seen by a process whose clock is wrong
	saved  map[int32][]byte // what processes saved last; nil if no process restarts with it

	timers      timers
	flood       int // limit for the messages in flight if links duplicate messages
	outcomes    outcomes
	prefetchSum uint32 // keeps prefetch from being optimised away
	batches     uint64 // how often prefetch was called
	room        [2 * prefetched]uint32
	changesSeen uint64         // timers.changes at the last prefetch
	event       election.Event // the local one that is being handled
	watch       *watch         // nil without an observer
	still       bool           // nothing happens but the steps or acts of a caller
	delivering  entry          // by a step or an act
	state
}

// state is the part of a run that a plain copy copies.
type state struct {
	now     time.Duration
	random  random
	control controls
	tally   verdict.Tally
	hash    hash
	longest uint32        // chain of messages
	arrived time.Duration // when the last message did
	steps   uint64
	begun   bool
	hand    hand
	// how many Occurrences there were, whether they are observed or not
	occurred uint64
	returns  uint64 // of all processes
	faulty   bool   // links may fail, or an observer numbers their messages: send takes the long way
	cuts     fault.Cuts
	current  int   // the process that steps
	err      error // what ended the run
	refused  error // the first start that was refused

	lost, duplicated, reordered uint64 // messages

	wishes map[int32][]election.ID // of processes that have another one than Config.Wishes gives them

	drawn []uint32 // by process: how many of Config.Draws it has drawn; nil without these

	entries []verdict.Entry // only ever appended to
	tree    verdict.Tree    // likewise
}

// proc is a process.
type proc struct {
	host    election.TermKeeper
	depth   uint32 // the longest chain of messages that has reached it
	outcome uint32 // the number of its Outcome in Sim.outcomes
	status  Status
}

// New prepares a run.
func New(c Config) (*Sim, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	s := &Sim{config: c, last: newLinks(), state: state{random: random{c.Seed},
		tree: verdict.NewTree(c.Algorithm)}}
	s.env = election.NewEnv(&s.config.Input, s.choose)
	s.observe(c.Observe)
	s.outcomes = newOutcomes() // number 0, which a new proc has, is undecided
	s.timers.next = never
	s.procs = make([]proc, len(c.IDs))
	for p := range s.procs {
		s.procs[p].host = s.config.Node(p)
	}
	// A duplicate or a reordered message does not arrive in the order of sending, even if all messages take a
	// unit.
	if c.Schedule == RandomDelay || c.Faults.Duplicate > 0 || c.Faults.Reorder > 0 {
		s.byTime = newCalendar(s.horizon())
	}
	s.flood = floodOf(c.Topology.Links())
	s.clocks = c.Clocks()
	if c.Draws != nil {
		s.drawn = make([]uint32, len(c.IDs))
	}
	s.faulty, s.cuts = c.Faults.Any() || s.watch != nil, c.Faults.Cuts()
	if c.KeepSaved || len(c.RestartAt) > 0 {
		s.saved = make(map[int32][]byte)
	}
	s.control = newControls(&s.config.Input)
	s.plan()
	for _, id := range c.Crashed {
		s.procs[s.control.where[id]].status = Down
	}
	return s, nil
}

// stretch is how many steps pass between two looks at the context.
const stretch = 1 << 14

// Run runs until nothing is left to happen, until the time that Config.Until sets, or until ctx
// ends.
func (s *Sim) Run(ctx context.Context) error {
	if err := s.run(ctx); err != nil {
		return err
	}
	if s.err == nil {
		return errors.Join(s.refused, s.unreached())
	}
	return s.Err()
}

// Err returns what has ended the run, if that was an error, and the first start that was refused.
func (s *Sim) Err() error { return errors.Join(s.err, s.refused) }

func (s *Sim) run(ctx context.Context) error {
	defer s.catch()
	for i := 0; s.next(); i++ {
		if i%stretch != 0 {
			continue
		}
		if ctx.Err() != nil {
			return fmt.Errorf("sim: stopped after %d messages: %w", s.steps, context.Cause(ctx))
		}
		// Nested in the look at the context, so that most steps make one comparison for both.
		if s.config.Progress != nil && i%(64*stretch) == 0 {
			s.config.Progress(s.steps, s.now)
		}
	}
	return nil
}

// catch turns the panic of a Node into the error that ends the run.
func (s *Sim) catch() {
	if r := recover(); r != nil {
		s.fail(s.current, fmt.Errorf("%w: %v", observe.ErrPanic, r))
	}
}

// Step carries out the next event: a crash, a pause, a start or return, a message or a timer. It returns
// false if no event is left.
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
	if s.occurred >= s.hand.next {
		return s.act()
	}
	if s.control.next <= s.now { // before any message or timer of this instant
		// What waited for a process that paused comes after the starts and returns of this instant, and still
		// before the messages: those have arrived later.
		if s.control.isDue(s.now) {
			s.apply(s.control.pop())
		} else {
			s.handleResumed()
		}
		return s.err == nil
	}
	m := s.front()
	at := s.due(m)
	if s.config.Until > 0 && at > s.config.Until {
		// Time passes though nothing happens: a caller that posts something next does so at Until.
		s.now = max(s.now, min(s.config.Until, lastTime))
		return false
	}
	if at == never {
		return false
	}
	if at > lastTime {
		s.err = ErrTime
		return false
	}
	s.now = at
	// Of what happens at one instant, timers come last: a message that takes as long as it may is in time.
	switch {
	case at == s.control.next:
		s.apply(s.control.pop())
	case m != nil && at == m.ev.At:
		s.deliver(m)
		s.pop()
	default:
		s.timeout()
	}
	return s.err == nil
}

// due returns the time of the next event, if m is the next message, or never if no event is left.
func (s *Sim) due(m *entry) time.Duration {
	at := min(s.control.next, s.timers.next)
	if m != nil {
		at = min(at, m.ev.At)
	}
	return at
}

func (s *Sim) front() *entry {
	if s.byTime != nil {
		return s.byTime.front()
	}
	return s.fifo.front()
}

func (s *Sim) pop() {
	if s.byTime != nil {
		s.byTime.pop()
	} else {
		s.fifo.pop()
	}
}

// begin gives every process that is up its first event.
func (s *Sim) begin() {
	s.begun = true
	for p := range s.procs {
		if s.procs[p].status == Up {
			s.init(p)
		} else {
			s.report(p, observe.Crash, 0, nil)
		}
	}
}

// init gives a process its first event. If the algorithm has leases, the event carries the incarnation.
func (s *Sim) init(p int) {
	ev := election.Event{Op: election.Init}
	if s.config.Algorithm.Elects == election.LeaseHolders {
		ev.Msg.Value = s.returns + 1
	}
	s.local(p, ev)
	if len(s.config.Wishes) > 0 {
		s.wished(p)
	}
}

// deliver gives a message to its receiver.
func (s *Sim) deliver(m *entry) {
	if s.steps%prefetched == 0 { // once for all of the next ones
		s.prefetchMessages()
	}
	// Before the look at the receiver: what arrives in vain counts too.
	s.steps++
	s.arrived = m.ev.At
	s.hash.add(&m.ev, m.to)
	p := &s.procs[m.to]
	if p.status != Up {
		if p.status == Paused {
			s.postpone(waiting{ev: m.ev, p: int32(m.to), tag: m.tag})
		} else {
			s.report(int(m.to), observe.Lose, m.tag, nil)
		}
		return
	}
	if depth := s.chain(m.tag); p.depth < depth {
		p.depth = depth
	}
	// In place: the caller pops the entry afterwards, so that no message has to be copied.
	s.step(int(m.to), p, &m.ev)
}

// local gives a process an event that no message brings.
func (s *Sim) local(p int, ev election.Event) {
	ev.At = s.now
	// The Node takes a pointer, for which the parameter itself would be allocated.
	s.event = ev
	s.hash.add(&s.event, uint32(p))
	s.step(p, &s.procs[p], &s.event)
}

// step steps a Node and carries out what it wants done.
func (s *Sim) step(i int, p *proc, ev *election.Event) {
	fx := s.env.Begin(i)
	s.current = i // for catch, if the Node panics
	if s.clocks != nil {
		s.own = *ev // its place in the queue goes by the right time
		s.own.At = s.clocks.Local(i, s.now)
		ev = &s.own
	}
	p.host.Step(s.env, ev)
	s.occurred++
	if s.watch != nil {
		s.stepped(i, ev, fx)
	}
	// A driver saves before it sends. Here no crash comes in between, so the order makes no difference.
	for k := range fx.Sends {
		s.send(i, p.depth+1, &fx.Sends[k])
	}
	if fx.Rare() {
		s.effects(i, p, fx)
	}
}

// send puts a message on its way.
func (s *Sim) send(from int, depth uint32, out *election.Outgoing) {
	to, back, ok := s.config.Topology.Link(from, out.Port)
	if !ok {
		s.fail(from, fmt.Errorf("%w %d", observe.ErrPort, out.Port))
		return
	}
	s.tally.Add(out.Msg.Kind)
	if s.tree.Joins(out.Msg.Kind) {
		s.tree.Sent(&out.Msg, s.config.IDs[from], s.config.IDs[to])
	}
	if s.longest < depth {
		s.longest = depth
	}
	var m *entry
	at := s.now + Unit
	switch {
	case s.faulty:
		s.sendFaulty(from, to, back, depth, out)
		return
	case s.byTime == nil:
		m = s.fifo.push()
	default:
		at = s.arrival(from, out.Port)
		m = s.byTime.push(s.now, at)
	}
	fill(m, at, to, back, tag(depth), out)
}

// fill initializes the entry of a message.
func fill(m *entry, at time.Duration, to int, back election.Port, t tag, out *election.Outgoing) {
	m.ev.At, m.ev.Msg, m.ev.Port, m.ev.Op = at, out.Msg, back, election.Recv
	m.to, m.tag = uint32(to), t
}

// draw returns when a message that is sent now arrives.
func (s *Sim) draw(from int, port election.Port) time.Duration {
	at := s.now + s.random.delay(&s.config.Delay)
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
		if err := s.timers.change(i, len(s.procs), s.now, &fx.Timers[k], s.clocks, &s.random); err != nil {
			s.fail(i, err)
		}
	}
	if fx.Decided() {
		p.outcome = s.outcomes.number(fx.Outcome, p.outcome)
	}
	if fx.Saved() && s.saved != nil {
		// never in place, since snapshots share it
		s.saved[int32(i)] = new(election.State).Append(nil, &p.host)
	}
	if fx.Refused() && s.refused == nil {
		s.refused = &observe.ProcessError{ID: s.config.IDs[i], Err: fx.Err}
	}
	if len(fx.Signals) > 0 {
		s.raise(i, fx.Signals)
	}
}

// raise notes what the topmost machine of a process raises, and passes it to Config.OnRaise.
func (s *Sim) raise(i int, raised []election.Signal) {
	for k := range raised {
		ev := &raised[k].Event
		if raised[k].Down {
			continue
		}
		if ev.Op == election.Entered {
			s.entries = append(s.entries, verdict.Entry{At: s.now, ID: s.config.IDs[i], Section: ev.Msg.Flags,
				Token: ev.Msg.Value})
		}
		if s.config.OnRaise != nil {
			s.config.OnRaise(i, *ev)
		}
	}
}

func (s *Sim) fail(i int, err error) {
	// Only the first: a Step that sends over a wrong port may also set a timer beyond the end of time.
	if s.err == nil {
		s.err = &observe.ProcessError{ID: s.config.IDs[i], Err: err}
	}
}

// Result returns what has come out so far.
func (s *Sim) Result() Result {
	r := Result{Time: s.arrived, TraceHash: s.hash.sum(), Steps: s.steps, Lost: s.lost,
		Duplicated: s.duplicated, Reordered: s.reordered}
	s.tally.Fill(&r.Result, s.config.Algorithm, s.config.Widths())
	s.tree.Fill(&r.Result)
	r.Chain = uint64(s.longest)
	r.Entries, r.Outside = slices.Clip(s.entries), slices.Clip(s.hand.outside)
	poll := verdict.Beliefs{Groups: s.config.Algorithm.Elects == election.GroupLeaders}
	for i := range s.procs {
		// Include paused processes: they act on their belief when they resume.
		if p := &s.procs[i]; p.status != Down {
			poll.Add(s.outcomes.list[p.outcome].Outcome, p.host.Ended())
		}
	}
	poll.Fill(&r.Result)
	return r
}
