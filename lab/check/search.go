package check

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// search visits states breadth first, level by level. The states of a level are expanded by all
// workers, in parts; then every shard takes up what belongs to it, in the order of the parts. So
// counts, and the places of states, do not depend on the number of workers.
type search struct {
	*model
	config  *Config
	workers []*worker
	rules   [ruleCount]bool
	shards  [shards]shard
	first   []uint32
	past    past

	depth       int
	states      uint64
	transitions atomic.Uint64
	reduced     atomic.Uint64
	graded      bool        // every run to a state has the same length
	bounded     bool        // messages were counted to the end
	heap        int64       // that was in use before
	restless    bool        // there are runs without end, and there may be
	ended       atomic.Bool // some run has come to rest
	cutOff      atomic.Bool // and some would have gone on
	goalSeen    atomic.Bool
	sometimes   []atomic.Bool // by Config.Properties

	mu       sync.Mutex
	findings []finding

	outs []*[shards][]record // of the parts of a batch, used again for the next

	begin, shown time.Time
	most         int64 // bytes
}

// part is some of the states of a level: those of one shard from one place to another.
type part struct {
	shard, from, until int
	only               []int // if not nil, these alone, and only the steps that were left out before
	out                *[shards][]record
	again              map[int]bool // states of which more steps must be taken
}

// record is a step on its way to the shard of the state that it leads to.
type record struct {
	hash uint64
	at   uint32 // the state that it leads from; the highest bit: others were left out there
	act  action
}

const (
	someLeftOut = 1 << 31
	recordBytes = 16
)

// The sizes of parts and batches. What is on its way to shards takes memory meanwhile.
const (
	partSize    = 256
	batchSize   = 256     // parts, at most
	mostRecords = 1 << 20 // steps in a batch, about
	aloneSize   = 4       // parts that are left to one worker
)

// Run visits every state. The error wraps [election.ErrInput] if c cannot be checked; a property
// that does not hold is no error, see [Result.Err]. When ctx ends, or at a limit, the Result holds what
// has been found so far, and is not exhausted.
func Run(ctx context.Context, c Config) (*Result, error) {
	var r *Result
	var err error
	inTicks(c, func(c Config) error {
		if r, err = run(ctx, c); err != nil {
			return err
		}
		return r.Stopped
	})
	return r, err
}

func run(ctx context.Context, c Config) (*Result, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	m := newModel(&c)
	s := &search{model: m, config: m.config, graded: true, begin: time.Now(),
		sometimes: make([]atomic.Bool, len(c.Properties))}
	for range c.Workers {
		s.workers = append(s.workers, newWorker(s.model))
	}
	s.rules = s.rulesFor(c.only)
	if c.MaxBytes > 0 {
		s.heap = c.heap()
	}
	p, err := newPen(s.workers[0])
	if err != nil {
		return nil, err
	}
	s.first, s.past = p.state, p.past
	s.goalSeen.Store(p.past.goal)
	for _, w := range s.workers {
		w.setClock(s.workers[0].offset)
	}
	r := &Result{Longest: -1, Messages: -1, Tick: c.Tick}
	// Runs without end are looked for only where all states are right: a state that breaks a rule is
	// nearer to the mistake.
	if r.Stopped = s.visitAll(ctx); r.Stopped == nil && len(s.findings) == 0 {
		r.Stopped = s.endings(ctx, r)
	}
	if errors.Is(r.Stopped, errUnsure) {
		c.Reduce = false
		return run(ctx, c)
	}
	s.finish(r)
	return r, nil
}

// visitAll visits level after level, until a rule is broken or there are no more.
func (s *search) visitAll(ctx context.Context) error {
	w := s.workers[0]
	hash := w.hash(s.first)
	home := &s.shards[shardOf(hash)]
	home.find(hash, 0, noAction, nil)
	home.keep(s.config.Exact, s.first)
	home.next.states, home.next.hashes = append(home.next.states, s.first...), append(home.next.hashes, hash)
	s.states = 1
	s.inspect(w, s.first, finding{state: newNumber(shardOf(hash), 0)})
	for ; len(s.findings) == 0; s.depth++ {
		if more := s.nextLevel(); !more {
			return nil
		}
		for parts := s.parts(); len(parts) > 0; {
			if err := s.limit(ctx); err != nil {
				return err
			}
			n := min(s.batchSize(), len(parts))
			s.batch(ctx, parts[:n])
			parts = parts[n:]
		}
		if ctx.Err() != nil { // workers leave what is not yet expanded, so the level is not whole
			return stopped(ctx)
		}
		if large := s.large.Load(); large != nil {
			return *large
		}
		if len(s.findings) == 0 && s.newest() == 0 {
			return nil
		}
	}
	return nil
}

// batchSize returns how many parts to expand at once: fewer where a state has many successors, which
// take memory on their way.
func (s *search) batchSize() int {
	expanded := s.states - uint64(s.newest())
	for i := range s.shards {
		expanded -= uint64(s.shards[i].front.len())
	}
	branching := s.transitions.Load()/max(expanded, 1) + 1
	records := uint64(mostRecords)
	if left := uint64(s.config.MaxStates) - s.states; s.config.MaxStates > 0 && left < records {
		records = left
	}
	return int(min(max(records/(branching*partSize), 1), batchSize))
}

// nextLevel makes the next level the one to be expanded.
func (s *search) nextLevel() (more bool) {
	for i := range s.shards {
		h := &s.shards[i]
		h.front, h.next = h.next, h.front
		h.next.clear()
		h.front.first = len(h.from) - h.front.len()
		h.newest = len(h.from)
		more = more || h.front.len() > 0
	}
	return more
}

// newest returns how many states the next level has.
func (s *search) newest() (n int) {
	for i := range s.shards {
		n += s.shards[i].next.len()
	}
	return n
}

// parts divides the level.
func (s *search) parts() (list []*part) {
	for i := range s.shards {
		n := s.shards[i].front.len()
		for from := 0; from < n; from += partSize {
			list = append(list, &part{shard: i, from: from, until: min(from+partSize, n)})
		}
	}
	return list
}

// batch expands some parts, and takes up what comes of them. Parts of which some steps were left out
// that must not be are expanded once more.
func (s *search) batch(ctx context.Context, parts []*part) {
	base := s.depth
	for i, p := range parts {
		if i == len(s.outs) {
			s.outs = append(s.outs, new([shards][]record))
		}
		p.out = s.outs[i]
	}
	s.share(len(parts), len(parts) <= aloneSize, func(w *worker, i int) { s.expandPart(ctx, w, parts[i], i) })
	s.share(shards, len(parts) <= aloneSize, func(w *worker, i int) { s.takeUp(w, i, parts, base) })
	var more []*part
	for _, p := range parts {
		if len(p.again) > 0 {
			h := &s.shards[p.shard]
			if h.opened == nil {
				h.opened = make(map[int]bool)
			}
			for i := range p.again {
				h.opened[h.front.first+i] = true
			}
			more = append(more, &part{shard: p.shard, only: slices.Sorted(maps.Keys(p.again))})
		}
	}
	if len(more) > 0 {
		s.batch(ctx, more)
	}
}

// share divides n jobs among the workers.
func (s *search) share(n int, alone bool, do func(w *worker, i int)) {
	if alone || len(s.workers) == 1 {
		for i := range n {
			do(s.workers[0], i)
		}
		return
	}
	var next atomic.Int64
	var working sync.WaitGroup
	for _, w := range s.workers {
		working.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(w, i)
			}
		})
	}
	working.Wait()
}

// expandPart takes every step from the states of a part, until ctx ends: then nothing that is found counts
// any more.
func (s *search) expandPart(ctx context.Context, w *worker, p *part, order int) {
	// In a browser no goroutine is interrupted: without this, none could end ctx.
	runtime.Gosched()
	for _, i := range p.only {
		if ctx.Err() != nil {
			return
		}
		s.expandState(w, p, i, order)
	}
	for i := p.from; i < p.until && p.only == nil && ctx.Err() == nil; i++ {
		s.expandState(w, p, i, order)
	}
}

func (s *search) expandState(w *worker, p *part, i, order int) {
	front := &s.shards[p.shard].front
	state, hash := front.states[i*s.slots:(i+1)*s.slots], front.hashes[i]
	at := newNumber(p.shard, front.first+i)
	must := w.expand(state, hash)
	ample := 0
	if s.config.Reduce {
		ample = w.reduce(state)
	}
	out, leftOut := w.out, uint32(0)
	switch {
	case p.only != nil:
		out = out[ample:] // the others were taken before
	case ample > 0 && ample < len(out):
		out, leftOut = out[:ample], someLeftOut
		s.reduced.Add(1)
	}
	s.transitions.Add(uint64(len(out)))
	for _, next := range out {
		to := &p.out[shardOf(next.hash)]
		*to = append(*to, record{hash: next.hash, at: uint32(i) | leftOut, act: next.act})
	}
	for _, r := range w.reports {
		if !s.rules[r.rule] {
			continue
		}
		s.addFinding(finding{rule: r.rule, length: s.depth + 1, order: [3]int{order, i, int(r.act)},
			state: at, act: r.act, step: true, err: r.err})
	}
	cut := !must && w.isCutOff(state)
	if cut {
		s.cutOff.Store(true)
	}
	if !must && !cut {
		s.inspectLast(w, state, finding{length: s.depth, order: [3]int{order, i}, state: at})
	}
}

// takeUp adds what belongs to a shard.
func (s *search) takeUp(w *worker, index int, parts []*part, depth int) {
	h := &s.shards[index]
	earlier := false
	for order, p := range parts {
		front := &s.shards[p.shard].front
		for _, r := range p.out[index] {
			at := int(r.at &^ someLeftOut)
			parent := front.states[at*s.slots : (at+1)*s.slots]
			from := newNumber(p.shard, front.first+at)
			var same func(int) bool
			if s.config.Exact {
				w.take(parent, r.act)
				same = func(place int) bool {
					return w.leadsTo(parent, h.exact[place*s.slots:(place+1)*s.slots])
				}
			}
			switch h.find(r.hash, from, r.act, same) {
			case isEarlier:
				// The step closes a cycle, perhaps. Around a cycle a step that is left out at each state
				// would never be taken, so all steps of this one are (the cycle proviso of partial order
				// reduction).
				earlier = true
				if r.at&someLeftOut != 0 {
					s.mu.Lock()
					if p.again == nil {
						p.again = make(map[int]bool)
					}
					p.again[at] = true
					s.mu.Unlock()
				}
			case isNew:
				state := s.add(w, h, parent, r)
				if w.visible || len(s.config.Properties) > 0 {
					s.inspect(w, state, finding{length: depth + 1, order: [3]int{order, at, int(r.act)},
						state: newNumber(index, len(h.from)-1)})
				}
			}
		}
		p.out[index] = p.out[index][:0]
	}
	if earlier {
		s.mu.Lock()
		s.graded = false
		s.mu.Unlock()
	}
}

// add makes the state that a step leads to one of the next level.
func (s *search) add(w *worker, h *shard, parent []uint32, r record) []uint32 {
	w.take(parent, r.act)
	end := len(h.next.states)
	h.next.states = append(h.next.states, parent...)
	state := h.next.states[end:]
	for _, c := range w.changed {
		state[c.slot] = c.to
	}
	h.next.hashes = append(h.next.hashes, r.hash)
	h.keep(s.config.Exact, state)
	return state
}

// keep keeps a whole state, where that is wanted.
func (s *shard) keep(exact bool, state []uint32) {
	if exact {
		s.exact = append(s.exact, state...)
	}
}

// leadsTo reports whether the step at hand leads from one state to the other.
func (w *worker) leadsTo(from, to []uint32) bool {
	for slot := range from {
		if w.value(from, slot) != to[slot] {
			return false
		}
	}
	return true
}

// inspect judges a state that is new.
func (s *search) inspect(w *worker, state []uint32, f finding) {
	is := &State{w: w, state: state}
	if rule, err := is.judge(&s.rules); rule != noRule {
		f.rule, f.err = rule, err
		s.addFinding(f)
	}
	if !s.goalSeen.Load() && w.isLed(state) {
		s.goalSeen.Store(true)
	}
	s.judgeProperties(is, f, false)
}

// inspectLast judges a state in which nothing is left to happen.
func (s *search) inspectLast(w *worker, state []uint32, f finding) {
	s.ended.Store(true)
	is := &State{w: w, state: state}
	if rule, err := is.judgeLast(&s.rules); rule != noRule {
		f.rule, f.err = rule, err
		s.addFinding(f)
	}
	if b := s.bound(); s.rules[ruleBounded] && s.graded && s.everyStepDelivers() && f.length > b {
		f.rule, f.err = ruleBounded, s.tooManyMessages(f.length)
		s.addFinding(f)
	}
	s.judgeProperties(is, f, true)
}

// everyStepDelivers reports whether every step delivers a message, so that a whole run has as many of these
// as of those.
func (s *search) everyStepDelivers() bool {
	return s.config.Started && !s.config.Nudge && s.config.faultless() &&
		len(s.workers[0].frames.table.all()) == 1
}

// limit returns why the search must stop here, if it must, and calls Progress.
func (s *search) limit(ctx context.Context) error {
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	if large := s.large.Load(); large != nil {
		return *large
	}
	s.states = 0
	var bytes int64
	for i := range s.shards {
		s.states += uint64(len(s.shards[i].from))
		bytes += s.shards[i].bytes()
		// The next check comes after a batch, which may add 64 successors of each of its states: leave room.
		if len(s.shards[i].from) > maxPlaces-batchSize*partSize*64 {
			return fmt.Errorf("%w: %d states", ErrTooLarge, s.states)
		}
	}
	for _, out := range s.outs {
		for i := range out {
			bytes += recordBytes * int64(cap(out[i]))
		}
	}
	s.most = max(s.most, bytes)
	if s.config.MaxBytes > 0 { // large Nodes take more than the states, which are numbers
		bytes = max(bytes, s.config.heap()-s.heap)
	}
	switch c := s.config; {
	case c.MaxStates > 0 && s.states >= uint64(c.MaxStates):
		return fmt.Errorf("%w: %d states", ErrLimit, s.states)
	case c.MaxBytes > 0 && bytes >= c.MaxBytes:
		return fmt.Errorf("%w: %d bytes for %d states", ErrLimit, bytes, s.states)
	case c.Progress != nil && time.Since(s.shown) > time.Second/10:
		s.shown = time.Now()
		c.Progress(Progress{States: s.states, Transitions: s.transitions.Load(), Queue: uint64(s.newest()),
			Depth: s.depth, Elapsed: time.Since(s.begin)})
	}
	return nil
}

func stopped(ctx context.Context) error { return fmt.Errorf("check: stopped: %w", context.Cause(ctx)) }
