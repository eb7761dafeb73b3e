package electortest

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/go-election/election/store"
	"github.com/go-election/election/store/memstore"
)

// vault is the store of a group, in which everything fails that a store does not promise.
type vault struct {
	stored  store.Store
	times   times
	watches bool // it reports changes

	mu     sync.Mutex
	dice   *rand.Rand
	rough  bool          // calls are lost or late, and reads are stale
	most   time.Duration // longest delay of one way
	cut    *closure
	past   []old // what was stored before, the oldest first
	doors  map[*door]bool
	mended bool
}

// times are the durations that a vault needs.
type times struct{ lease, delay time.Duration }

// old is a value that was stored.
type old struct {
	value    []byte
	revision string
}

// mostPast is how many old values stale reads return.
const mostPast = 8

// closure is why members do not reach the store.
type closure struct {
	members map[string]bool // those that do not; nil: all
	refuses bool            // calls fail immediately; otherwise nothing answers
}

func newVault(seed uint64, t times, rough bool, most time.Duration, watches bool) *vault {
	return &vault{stored: memstore.New(), times: t, watches: watches, dice: rand.New(rand.NewPCG(seed, 1)), rough: rough,
		most: most, doors: make(map[*door]bool)}
}

// set replaces the current closure.
func (v *vault) set(c *closure) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.cut = c
	for d := range v.doors {
		if c != nil && d.subscribed != nil && d.cutOff(c) {
			close(d.subscribed.broken) // the connection breaks
			d.subscribed = nil
		}
	}
}

// unset removes a closure, unless another one has replaced it.
func (v *vault) unset(c *closure) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.cut == c {
		v.cut = nil
	}
}

// mend ends all faults.
func (v *vault) mend() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.cut, v.mended = nil, true
}

// delay returns how long one way takes. The caller holds mu.
func (v *vault) delay() time.Duration {
	if v.mended {
		return v.times.delay/40 + time.Duration(v.dice.Int64N(int64(v.times.delay/4)))
	}
	return time.Microsecond + time.Duration(v.dice.Int64N(int64(v.most)))
}

// happens reports whether a fault with this probability happens now. The caller holds mu.
func (v *vault) happens(probability float64) bool {
	return v.rough && !v.mended && v.dice.Float64() < probability
}

// open returns the store as a member sees it.
func (v *vault) open(name string) *door {
	d := &door{vault: v, name: name}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.doors[d] = true
	return d
}

// door is the way of one member to the store.
type door struct {
	vault *vault
	name  string

	mu     sync.Mutex
	held   bool     // nothing passes
	late   []func() // what passes when the door opens
	closed bool

	subscribed *subscription // guarded by vault.mu
}

// unwatched is a door of a store that reports no changes.
type unwatched struct{ store.Store }

// subscription is one call of Watch.
type subscription struct {
	events chan store.Event
	broken chan struct{}
}

// Errors of calls.
var (
	errRefused = errors.New("electortest: the store is away")
	errBroken  = errors.New("electortest: the connection to the store breaks")
)

// cutOff reports whether the member does not reach the store.
func (d *door) cutOff(c *closure) bool { return c != nil && (c.members == nil || c.members[d.name]) }

// passes does something when the door is open, or never if the member has crashed.
func (d *door) passes(do func()) {
	d.mu.Lock()
	switch {
	case d.closed:
		d.mu.Unlock()
	case d.held:
		d.late = append(d.late, do)
		d.mu.Unlock()
	default:
		d.mu.Unlock()
		do()
	}
}

func (d *door) hold() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.held = true
}

func (d *door) open() {
	d.mu.Lock()
	late := d.late
	d.held, d.late = false, nil
	d.mu.Unlock()
	for _, do := range late {
		do()
	}
}

// Close drops everything that has not left the member, and what would arrive at it.
func (d *door) Close() error {
	d.mu.Lock()
	d.closed, d.held, d.late = true, false, nil
	d.mu.Unlock()
	d.vault.mu.Lock()
	defer d.vault.mu.Unlock()
	delete(d.vault.doors, d)
	return nil
}

// answer is the result of a call.
type answer struct {
	value    []byte
	revision string
	err      error
}

// call sends a request to the store, which carries it out by do, and returns the answer. If ctx ends earlier, the
// request may be carried out nevertheless, even much later.
func (d *door) call(ctx context.Context, do func() answer) answer {
	got := make(chan answer, 2)
	v := d.vault
	returns := func(a answer) {
		v.mu.Lock()
		delay, lost := v.delay(), d.cutOff(v.cut) || v.happens(0.1)
		breaks := lost && v.happens(0.5)
		v.mu.Unlock()
		switch {
		case breaks:
			a = answer{err: errBroken}
		case lost:
			return
		}
		time.AfterFunc(delay, func() { d.passes(func() { got <- a }) })
	}
	d.passes(func() {
		v.mu.Lock()
		delay, lost := v.delay(), v.happens(0.1)
		cut, refuses := d.cutOff(v.cut), v.cut != nil && v.cut.refuses
		breaks := lost && v.happens(0.5)
		if v.happens(0.05) {
			delay += time.Duration(v.dice.Int64N(int64(3 * v.times.lease)))
		}
		v.mu.Unlock()
		switch {
		case cut && refuses:
			got <- answer{err: errRefused}
			return
		case breaks:
			got <- answer{err: errBroken}
			return
		case lost, cut:
			return
		}
		time.AfterFunc(delay, func() { returns(do()) })
	})
	select {
	case a := <-got:
		return a
	case <-ctx.Done():
		return answer{err: context.Cause(ctx)}
	}
}

// Get implements store.Store.
func (d *door) Get(ctx context.Context, key string) ([]byte, string, error) {
	v := d.vault
	a := d.call(ctx, func() (a answer) {
		v.mu.Lock()
		defer v.mu.Unlock()
		if len(v.past) > 0 && v.happens(0.1) {
			o := v.past[v.dice.IntN(len(v.past))]
			return answer{o.value, o.revision, nil}
		}
		a.value, a.revision, a.err = v.stored.Get(context.Background(), key)
		return a
	})
	return a.value, a.revision, a.err
}

// Put implements store.Store.
func (d *door) Put(ctx context.Context, key string, value []byte, revision string) (string, error) {
	v := d.vault
	a := d.call(ctx, func() (a answer) {
		v.mu.Lock()
		defer v.mu.Unlock()
		before, rev, err := v.stored.Get(context.Background(), key)
		if a.revision, a.err = v.stored.Put(context.Background(), key, value, revision); a.err != nil {
			return a
		}
		if err == nil {
			v.past = append(v.past, old{before, rev})
			v.past = v.past[max(len(v.past)-mostPast, 0):]
		}
		v.tell(store.Event{Value: slices.Clone(value), Revision: a.revision})
		return a
	})
	return a.revision, a.err
}

// tell reports a change to all that watch. The caller holds mu.
func (v *vault) tell(e store.Event) {
	for d := range v.doors {
		s := d.subscribed
		if s == nil || d.cutOff(v.cut) || v.happens(0.1) {
			continue
		}
		told := e
		if v.happens(0.1) {
			told = store.Event{}
		}
		time.AfterFunc(v.delay(), func() {
			d.passes(func() {
				select {
				case s.events <- told:
				default: // an event may be missing
				}
			})
		})
	}
}

// mostEvents is how many events wait for a member.
const mostEvents = 100

// Watch implements store.Watcher.
func (d *door) Watch(ctx context.Context, _ string) iter.Seq[store.Event] {
	return func(yield func(store.Event) bool) {
		v, s := d.vault, &subscription{events: make(chan store.Event, mostEvents), broken: make(chan struct{})}
		v.mu.Lock()
		if d.cutOff(v.cut) {
			v.mu.Unlock()
			return
		}
		d.subscribed = s
		v.mu.Unlock()
		for {
			select {
			case e := <-s.events:
				if !yield(e) {
					return
				}
			case <-s.broken:
				return
			case <-ctx.Done():
				return
			}
		}
	}
}
