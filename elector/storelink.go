package elector

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lease/storelease"
	"github.com/go-election/election/store"
)

// storeID is the ID of the store as the only peer of a member. The IDs of members are hashes, so they
// are larger.
const storeID election.ID = 1

// The bounds of what a member remembers. Only the current revision and owner matter, so a few would be enough.
const (
	mostRevisions  = 64
	mostOwners     = 64
	mostStoreCalls = 16
)

// storeLink is the transport between the process of a member and the store: it carries out each GET and PUT, and
// delivers the answer.
type storeLink struct {
	store store.Store
	key   string
	self  string
	// address is what the record contains while this member leads: its Config.Advertise.
	address    string
	times      Times
	log        *slog.Logger
	call       func(name string, callback func()) // see Elector.call
	left       func(term uint64) time.Duration    // how long the lease of this member lasts
	leads      func() bool
	inbox      chan election.Packet
	closed     chan struct{}
	gets, puts *storeCalls
	// Reads end when the link is closed. Writes do not: the last one may release the lease.
	reading context.Context
	stop    context.CancelFunc
	calls   sync.WaitGroup

	mu        sync.Mutex
	ended     bool
	active    int           // calls that have not returned
	held      chan struct{} // closed when a lease of this member is to be released, or is another's; nil if it was
	holds     time.Time     // until when such a lease lasts at most
	revisions revisions
	owners    owners
	beat      uint64  // the largest one that was read or written
	outage    trouble // of calls that fail
	misuse    trouble // of records that are refused
	failure   error   // of the last call; nil if it succeeded

	incarnation uint64 // of this process; zero before it has written
	twin        twin
}

// twin is the owner of records that have the name of this member, and that another process has written.
type twin struct {
	incarnation uint64
	first, last time.Time // when its first record, and the last one that was new, were read
	beat        uint64
	live        bool // it runs, and this was logged
}

// sees notes a record that has the name of this member, and reports whether to log that another process renews it. The
// process that ran before may have written the first ones.
func (t *twin) sees(incarnation, beat uint64, lease time.Duration, now time.Time) (log bool) {
	switch {
	case t.first.IsZero() || incarnation != t.incarnation:
		*t = twin{incarnation: incarnation, first: now, last: now, beat: beat}
	case beat > t.beat:
		t.beat, t.last = beat, now
		if now.Sub(t.first) > 2*lease && !t.live {
			t.live = true
			return true
		}
	}
	return false
}

// trouble is what is logged when something begins to fail, and when it ends.
type trouble struct {
	since time.Time // zero while nothing fails
	told  bool      // logged since
	next  time.Time // when it may be logged again
}

// note records a result. It reports whether to log it: a store that fails and succeeds in turn must not flood the log.
func (t *trouble) note(failed bool, now time.Time) (log bool, took time.Duration) {
	switch {
	case !failed:
		log, took = t.told, now.Sub(t.since)
		t.since, t.told = time.Time{}, false
		return log, took
	case t.since.IsZero():
		t.since = now
	}
	if t.told || now.Before(t.next) {
		return false, 0
	}
	t.told, t.next = true, now.Add(quiet)
	return true, 0
}

func newStoreLink(c *Config, log *slog.Logger) *storeLink {
	l := &storeLink{store: c.Store, key: "election/" + c.Group, self: c.Self, address: c.Advertise, times: c.Times, log: log,
		inbox: make(chan election.Packet), closed: make(chan struct{}),
		gets: newStoreCalls(), puts: newStoreCalls(),
		revisions: revisions{numbers: make(map[string]uint32)}, owners: newOwners()}
	l.reading, l.stop = context.WithCancel(context.Background())
	l.owners.add(c.Self)
	return l
}

// start completes what the link needs.
func (l *storeLink) start(call func(string, func()), left func(term uint64) time.Duration, leads func() bool) {
	l.call, l.left, l.leads = call, left, leads
}

// name returns the name of a member, for logs and the View.
func (l *storeLink) name(id election.ID) string {
	if id == storeID {
		return "(store)"
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if name := l.owners.names[id]; name != "" {
		return name
	}
	return fmt.Sprintf("(ID %d)", uint64(id))
}

// serves returns the address in the last record that a member has written, or "".
func (l *storeLink) serves(name string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.owners.addresses[ID(name)]
}

// know records a name that a record may contain.
func (l *storeLink) know(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.owners.add(name)
}

// Send begins a GET or PUT.
func (l *storeLink) Send(_ context.Context, p election.Packet) error {
	m := p.Msg
	// No request is useful for longer than the lease that it begins or renews. A read is repeated, so it may end earlier.
	limit, parent, frees, claims := 2*l.times.Renew, l.reading, false, false
	do := func(ctx context.Context) (election.Message, error) { return l.get(ctx, m.Round) }
	if m.Kind == storelease.KindPut {
		parent = context.Background()
		_, r := storelease.Read(&m)
		frees = r.Owner == 0
		switch left := l.left(r.Term); {
		case frees:
		case left > 0: // a renewal
			limit = left
		default: // a new lease
			limit, claims = l.times.Lease, true
		}
		do = func(ctx context.Context) (election.Message, error) {
			answer, err := l.put(ctx, &m)
			if claims && answer.Kind == storelease.KindConflict {
				l.mu.Lock()
				defer l.mu.Unlock()
				l.release()
			}
			return answer, err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return election.ErrClosed
	}
	switch {
	case m.Kind != storelease.KindPut:
	case frees:
		l.release()
	default:
		if l.held == nil {
			l.held = make(chan struct{})
		}
		l.holds = time.Now().Add(l.times.Lease)
	}
	l.begin(parent, l.times.surely(limit), m.Round, do)
	return nil
}

// begin calls the store in a goroutine, and delivers the answer. The caller holds mu.
func (l *storeLink) begin(parent context.Context, limit time.Duration, number uint32,
	do func(context.Context) (election.Message, error)) {
	open := storelease.Answer(storelease.KindOpen, number, 0)
	counts := l.puts
	if parent == l.reading {
		counts = l.gets
	}
	if l.active >= mostStoreCalls {
		counts.errors["busy"].Add(1)
		l.calls.Go(func() {
			l.note(fmt.Errorf("%d calls have not returned although their contexts have ended", mostStoreCalls))
			l.deliver(open)
		})
		return
	}
	l.active++
	ctx, cancel := context.WithTimeoutCause(parent, limit, fmt.Errorf("no answer within %v", limit))
	began := time.Now()
	l.calls.Go(func() {
		defer cancel()
		var answered atomic.Bool
		answer := func(m election.Message, err error) {
			switch {
			case answered.Swap(true):
				return
			case err != nil:
				m = open
			}
			if parent.Err() == nil { // otherwise this member ends
				counts.note(time.Since(began), ctx.Err() != nil, m.Kind == storelease.KindConflict, err)
				l.note(err)
			}
			if err != nil && parent == l.reading && !l.leads() {
				return // only a leader gains from haste: the others ask again later, and do not hinder a store that returns
			}
			l.deliver(m)
		}
		// The process gets its answer in time even if the store ignores ctx.
		defer context.AfterFunc(ctx, func() { answer(open, context.Cause(ctx)) })()
		m, err := open, error(nil) // if the call panics
		l.call("Store", func() { m, err = do(ctx) })
		l.mu.Lock()
		l.active--
		l.mu.Unlock()
		if err != nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		answer(m, err)
	})
}

// get carries out a GET.
func (l *storeLink) get(ctx context.Context, number uint32) (election.Message, error) {
	value, revision, err := l.store.Get(ctx, l.key)
	switch {
	case errors.Is(err, store.ErrAbsent):
		return storelease.Answer(storelease.KindAbsent, number, 0), nil
	case err != nil:
		return election.Message{}, err
	}
	return l.value(number, value, revision)
}

// value returns the message that contains a value of the store.
func (l *storeLink) value(number uint32, value []byte, revision string) (election.Message, error) {
	if revision == "" {
		return election.Message{}, errors.New("the store returns a value without a revision")
	}
	r, err := parseRecord(value)
	if err != nil {
		return election.Message{}, err
	}
	m := r.message()
	l.mu.Lock()
	l.owners.add(r.Owner)
	l.owners.add(r.Next)
	if r.Owner != "" {
		l.owners.addresses[ID(r.Owner)] = r.Address
	}
	l.beat = max(l.beat, r.Beat)
	twice := r.Owner == l.self && m.Incarnation != l.incarnation &&
		l.twin.sees(m.Incarnation, r.Beat, l.times.Lease, time.Now())
	known := l.revisions.number(revision)
	l.mu.Unlock()
	if twice {
		l.log.Warn("another process runs as this member", "key", l.key, "incarnation", r.Incarnation)
	}
	return storelease.Value(number, known, m), nil
}

// ill returns why this member has no lease, as far as the store tells, or "".
func (l *storeLink) ill() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.twin.live && time.Since(l.twin.last) < 2*l.times.Lease:
		return "another process runs as this member: stop one of the two, or give it another name"
	case l.failure == nil:
		return ""
	}
	text := strings.Join(strings.Fields(l.failure.Error()), " ") // in a line
	if _, ok := errors.AsType[*refusedRecord](l.failure); ok {
		return "the record in the store is refused: " + text
	}
	return "a call of the store has failed: " + text
}

// put carries out a PUT.
func (l *storeLink) put(ctx context.Context, m *election.Message) (election.Message, error) {
	number, r := storelease.Read(m)
	l.mu.Lock()
	revision, ok := l.revisions.text(number)
	l.beat++
	l.incarnation = r.Incarnation
	own := recordOf(r, func(id election.ID) string { return l.owners.names[id] })
	own.Beat = l.beat
	if r.Owner != 0 {
		own.Address = l.address
	}
	l.mu.Unlock()
	switch {
	case !ok: // so old that it is certainly not the current one
		return storelease.Answer(storelease.KindConflict, m.Round, 0), nil
	case r.Owner != 0 && own.Owner != l.self:
		return election.Message{}, fmt.Errorf("%.60q would be written as the owner", own.Owner)
	}
	written, err := l.store.Put(ctx, l.key, own.bytes(), revision)
	switch {
	case errors.Is(err, store.ErrConflict):
		return storelease.Answer(storelease.KindConflict, m.Round, 0), nil
	case err != nil:
		return election.Message{}, err
	case written == "":
		return election.Message{}, errors.New("the store returns no revision for what it has written")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return storelease.Answer(storelease.KindWritten, m.Round, l.revisions.number(written)), nil
}

// watch delivers what the store reports, until the link is closed.
func (l *storeLink) watch() {
	w, ok := l.store.(store.Watcher)
	if !ok {
		return
	}
	l.calls.Go(func() {
		for wait := l.times.Delay; l.reading.Err() == nil; wait = min(2*wait, l.times.Lease) {
			began := time.Now()
			ok := false
			l.call("Store", func() {
				for ev := range w.Watch(l.reading, l.key) {
					if !l.hears(ev) {
						break
					}
				}
				ok = true
			})
			if !ok {
				return // it has panicked, and Run ends
			}
			if time.Since(began) > l.times.Lease {
				wait = l.times.Delay
			}
			// A random part of the wait, so that not all members of all groups come back to a store simultaneously.
			timer := time.NewTimer(wait/2 + rand.N(wait/2+1))
			select {
			case <-timer.C:
			case <-l.reading.Done():
				timer.Stop()
			}
		}
	})
}

// hears delivers an event, and reports whether the link is still open.
func (l *storeLink) hears(ev store.Event) bool {
	m := storelease.Answer(storelease.KindChanged, 0, 0)
	if ev.Revision != "" {
		var err error
		if m, err = l.value(0, ev.Value, ev.Revision); err != nil {
			l.note(err)
			return l.reading.Err() == nil
		}
	}
	return l.deliver(m)
}

// deliver passes a message to the process, and returns false if the link is closed.
func (l *storeLink) deliver(m election.Message) bool {
	select {
	case l.inbox <- election.Packet{From: storeID, To: ID(l.self), Msg: m}:
		return true
	case <-l.closed:
		return false
	}
}

// note logs when calls begin to fail, and when they succeed again.
func (l *storeLink) note(err error) {
	refused, isRefused := errors.AsType[*refusedRecord](err)
	now := time.Now()
	l.mu.Lock()
	l.failure = err
	answers := err == nil || isRefused
	outage, after := l.outage.note(!answers, now)
	misused := false
	if answers { // otherwise nothing is known about the record
		misused, _ = l.misuse.note(isRefused, now)
	}
	l.mu.Unlock()
	switch {
	case outage && answers:
		l.log.Info("the store answers again", "after", after)
	case outage:
		l.log.Warn("a call of the store has failed: without the store no lease is renewed", "key", l.key, "err", err)
	}
	if isRefused && misused {
		l.log.Error("the record in the store is refused, so this member does not lead", "key", l.key, "err", refused)
	}
}

// Recv returns the next answer.
func (l *storeLink) Recv(ctx context.Context) (election.Packet, error) {
	select {
	case p := <-l.inbox:
		return p, nil
	case <-ctx.Done():
		return election.Packet{}, context.Cause(ctx)
	case <-l.closed:
		return election.Packet{}, election.ErrClosed
	}
}

// release notes that there is nothing more to release. The caller holds mu.
func (l *storeLink) release() {
	if l.held != nil {
		close(l.held)
		l.held = nil
	}
}

// settle waits until the process releases a lease, which it does when its last write is answered, or has ended.
func (l *storeLink) settle(ended <-chan struct{}) {
	l.mu.Lock()
	held, left := l.held, time.Until(l.holds)
	l.mu.Unlock()
	if held == nil || left <= 0 {
		return
	}
	// A context instead of a timer, as in tenure.hasReturned.
	patience, stop := context.WithTimeout(context.Background(), min(left, 2*l.times.Renew))
	defer stop()
	select {
	case <-held:
	case <-ended:
	case <-patience.Done():
	}
}

// Close cancels reads, and waits for writes: the last one may release the lease.
func (l *storeLink) Close() error {
	l.mu.Lock()
	if l.ended {
		l.mu.Unlock()
		return nil
	}
	l.ended = true
	l.mu.Unlock()
	close(l.closed)
	l.stop()
	done := make(chan struct{})
	go func() {
		l.calls.Wait()
		close(done)
	}()
	patience := time.NewTimer(2 * l.times.Lease) // longer than any context
	defer patience.Stop()
	select {
	case <-done:
	case <-patience.C:
		l.log.Error("Run returns although a call of the store has not returned: it must return when its context ends")
	}
	return nil
}

// revisions numbers the last revisions of a store.
type revisions struct {
	numbers map[string]uint32
	order   []string // the oldest first; the numbers of the last ones follow each other
	last    uint32   // number of the last one
}

// number returns the number of a revision, always the same while it is remembered. Zero means that there is no value.
func (r *revisions) number(text string) uint32 {
	if n, ok := r.numbers[text]; ok {
		return n
	}
	if r.last++; r.last == 0 {
		r.last++
	}
	if len(r.order) == mostRevisions {
		delete(r.numbers, r.order[0])
		r.order = slices.Delete(r.order, 0, 1)
	}
	r.order = append(r.order, text)
	r.numbers[text] = r.last
	return r.last
}

// text returns the revision with a number, and false if it is forgotten.
func (r *revisions) text(number uint32) (text string, ok bool) {
	if number == 0 {
		return "", true
	}
	for text, n := range r.numbers {
		if n == number {
			return text, true
		}
	}
	return "", false
}

// owners are the names that the last records have contained.
type owners struct {
	names     map[election.ID]string
	addresses map[election.ID]string // as the last record of each contains it
	order     []string               // the first, this member, is never forgotten; the others from the oldest
}

func newOwners() owners {
	return owners{names: make(map[election.ID]string), addresses: make(map[election.ID]string)}
}

func (o *owners) add(name string) {
	if name == "" || len(o.order) > 0 && name == o.order[0] {
		return
	}
	if at := slices.Index(o.order, name); at > 0 {
		o.order = slices.Delete(o.order, at, at+1)
	} else if len(o.order) == mostOwners {
		delete(o.names, ID(o.order[1]))
		delete(o.addresses, ID(o.order[1]))
		o.order = slices.Delete(o.order, 1, 2)
	}
	o.order, o.names[ID(name)] = append(o.order, name), name
}
