package elector_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/transport"
	"github.com/go-election/election/transport/memory"
)

// site is a network with connections that break, and the processes of a group, which are stopped, killed and started
// with other lists. It judges their leases.
type site struct {
	t      *testing.T
	group  string
	hub    *memory.Network
	log    *slog.Logger
	text   *logs
	began  time.Time
	change func(*elector.Config) // nil, or adapts each Config
	drain  time.Duration         // how long the work of a leader takes to stop
	listed bool                  // lists have addresses; a process reaches another one at its present address only

	turn sync.Mutex // serializes settle; locked before mu
	mu   sync.Mutex
	pods map[string]*pod
	ends map[string]*end // that are open
	cut  map[string]bool // they reach only each other, and the others do not reach them
	torn map[string]bool // pairs of names, in order, that do not reach each other
	link map[[2]string]*conn
	see  func(from, to string, m *election.Message) // sees each message before it leaves; with mu held

	judge
}

// conn is the connection from one end to another.
type conn struct {
	from, to *end
	up       bool
	hello    string
	last     time.Time // when the last packet arrives
}

// pod is a process that is replaced by another one with the same name.
type pod struct {
	s    *site
	name string
	turn chan struct{} // has one while somebody stops or starts the process
	list []string
	dir  string
	at   int // how often it has moved to another address; with mu held

	*elector.Elector
	end   *end
	stop  context.CancelFunc
	ended chan error
	saved map[string][]byte // what Dir contained when the process was killed
}

// end is the transport of one process.
type end struct {
	transport.Pusher
	s      *site
	name   string
	dead   atomic.Bool // killed
	at     string      // its address; empty: all reach it
	dials  map[string]string
	hello  string
	accept func(election.ID, []byte) error
	watch  func(election.ID, bool)
}

// alert is an end that notices when connections break.
type alert struct{ *end }

// latency is how long a packet takes.
const latency = time.Millisecond

func newSite(t *testing.T) *site {
	s := &site{t: t, group: "g", hub: memory.New(), text: &logs{}, began: time.Now(), pods: make(map[string]*pod),
		ends: make(map[string]*end), link: make(map[[2]string]*conn)}
	s.log = slog.New(slog.NewTextHandler(s.text, nil))
	s.judge = judge{t: t, leases: make(map[string]held), labels: make(map[string]string),
		lists: make(map[string]string), working: make(map[string]bool)}
	return s
}

// Send passes a packet on after a while, unless the connection is broken by then.
func (e *end) Send(ctx context.Context, p election.Packet) error {
	s := e.s
	s.mu.Lock()
	defer s.mu.Unlock()
	to := s.nameOf(p.To)
	if s.see != nil && !e.dead.Load() {
		s.see(e.name, to, &p.Msg)
	}
	l := s.link[[2]string{e.name, to}]
	if l == nil || l.from != e || !l.up || e.dead.Load() || s.apart(e.name, to) {
		return nil
	}
	now := time.Now()
	if l.last = l.last.Add(1); l.last.Before(now.Add(latency)) {
		l.last = now.Add(latency)
	}
	time.AfterFunc(l.last.Sub(now), func() {
		s.mu.Lock()
		broken := s.link[[2]string{e.name, to}] != l || s.apart(e.name, to)
		s.mu.Unlock()
		if !broken {
			_ = e.Pusher.Send(context.Background(), p)
		}
	})
	return nil
}

// Greet implements transport.Greeter.
func (e *end) Greet(hello []byte, accept func(election.ID, []byte) error) error {
	e.s.mu.Lock()
	if e.hello = string(hello); accept != nil {
		e.accept = accept
	}
	e.s.mu.Unlock()
	e.s.settle()
	return nil
}

// SetAddress implements transport.Addressed.
func (e *end) SetAddress(_ election.ID, name, address string) error {
	e.s.mu.Lock()
	e.dials[name] = address
	e.s.mu.Unlock()
	e.s.settle()
	return nil
}

// reaches reports whether one end may connect to another one. The caller holds mu.
func (e *end) reaches(o *end) bool { return o.at == "" || e.dials[o.name] == o.at }

// WatchPeers implements transport.Watcher.
func (w alert) WatchPeers(f func(election.ID, bool)) (stop func()) {
	w.s.turn.Lock()
	w.s.mu.Lock()
	w.watch = f
	var up []string
	for _, l := range w.s.link {
		if l.to == w.end && l.up {
			up = append(up, l.from.name)
		}
	}
	w.s.mu.Unlock()
	for _, name := range up {
		f(elector.ID(name), true)
	}
	w.s.turn.Unlock()
	return func() {
		w.s.turn.Lock()
		defer w.s.turn.Unlock()
		w.watch = nil
	}
}

// nameOf returns the name of a process. The caller holds mu.
func (s *site) nameOf(id election.ID) string {
	for name := range s.pods {
		if elector.ID(name) == id {
			return name
		}
	}
	return ""
}

// settle opens and breaks connections, and exchanges hellos.
func (s *site) settle() {
	s.turn.Lock()
	defer s.turn.Unlock()
	type told struct {
		to    *end
		from  string
		up    bool
		hello string
	}
	var all []told
	s.mu.Lock()
	for key, l := range s.link {
		if s.ends[key[0]] != l.from || s.ends[key[1]] != l.to || s.apart(key[0], key[1]) {
			delete(s.link, key)
			if s.ends[key[1]] == l.to && l.up {
				all = append(all, told{to: l.to, from: key[0]})
			}
		}
	}
	for from, a := range s.ends {
		for to, b := range s.ends {
			key := [2]string{from, to}
			if from == to || a.accept == nil || b.accept == nil || s.apart(from, to) {
				continue
			}
			l := s.link[key]
			if l == nil && !a.reaches(b) && !b.reaches(a) {
				continue
			}
			if l == nil {
				l = &conn{from: a, to: b}
				s.link[key] = l
			}
			if l.hello != a.hello {
				l.hello = a.hello
				all = append(all, told{to: b, from: from, up: true, hello: a.hello})
			}
		}
	}
	s.mu.Unlock()
	refused := make(map[[2]string]bool)
	for _, one := range all {
		if one.up && one.to.accept(elector.ID(one.from), []byte(one.hello)) != nil {
			refused[[2]string{one.from, one.to.name}] = true
		}
	}
	s.mu.Lock()
	for _, one := range all {
		there, back := [2]string{one.from, one.to.name}, [2]string{one.to.name, one.from}
		if one.up && s.link[there] != nil && s.link[back] != nil {
			up := !refused[there] && !refused[back]
			s.link[there].up, s.link[back].up = up, up
		}
	}
	s.mu.Unlock()
	for _, one := range all {
		if one.to.watch != nil {
			one.to.watch(elector.ID(one.from), one.up && !refused[[2]string{one.from, one.to.name}] &&
				!refused[[2]string{one.to.name, one.from}])
		}
	}
}

// part cuts these processes off the others, which takes a while to notice.
func (s *site) part(names []string) {
	s.mu.Lock()
	s.partLocked(names)
	s.mu.Unlock()
}

func (s *site) partLocked(names []string) {
	s.cut = make(map[string]bool)
	for _, name := range names {
		s.cut[name] = true
	}
	time.AfterFunc(300*time.Millisecond, s.settle)
}

// tear cuts pairs of processes off each other, such as "ab" for a and b. All other pairs of processes reach each other.
func (s *site) tear(pairs ...string) {
	s.mu.Lock()
	s.torn = make(map[string]bool)
	for _, pair := range pairs {
		s.torn[pair] = true
	}
	s.mu.Unlock()
	time.Sleep(300 * time.Millisecond)
	s.settle()
}

// apart reports whether two processes do not reach each other.
func (s *site) apart(a, b string) bool {
	return s.cut[a] != s.cut[b] || s.torn[min(a, b)+max(a, b)]
}

// lock waits until nobody else stops or starts the process.
func (p *pod) lock()   { p.turn <- struct{}{} }
func (p *pod) unlock() { <-p.turn }

// pod returns the process of a name.
func (s *site) pod(name string) *pod {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.pods[name]
	if p == nil {
		p = &pod{s: s, name: name, turn: make(chan struct{}, 1)}
		s.pods[name] = p
	}
	return p
}

// start starts a process with a list, or restarts it.
func (s *site) start(name string, list []string) {
	p := s.pod(name)
	p.lock()
	defer p.unlock()
	p.quit()
	p.run(list)
}

// halt stops a process, and does not start it again.
func (s *site) halt(name string) {
	p := s.pod(name)
	p.lock()
	defer p.unlock()
	p.quit()
}

// run starts the process. The caller has the lock.
func (p *pod) run(list []string) {
	s := p.s
	inner, err := s.hub.Endpoint(elector.ID(p.name))
	require.NoError(s.t, err)
	e := &end{Pusher: inner.(transport.Pusher), s: s, name: p.name, dials: make(map[string]string)}
	members := make(map[string]string)
	for _, name := range list {
		members[name] = ""
		if s.listed { // operators list the first address
			members[name] = name + ":1"
		}
	}
	c := elector.Config{Group: s.group, Self: p.name, Members: members, Transport: alert{e}, Dir: p.dir, Log: s.log}
	if s.listed {
		s.mu.Lock()
		e.at = fmt.Sprintf("%s:%d", p.name, 1+p.at)
		s.mu.Unlock()
		if c.Listen = e.at; members[p.name] != "" {
			members[p.name] = e.at
		}
	}
	drift := time.Duration(int(p.name[0])%3 - 1)
	c.Clock = func() time.Duration { return time.Since(s.began) + time.Since(s.began)/1000*drift }
	c.Renewed = func(term elector.Term) { s.renewed(p.name, e, term) }
	c.Observe = func(v elector.View) { s.observed(p.name, e, v) }
	if s.change != nil {
		s.change(&c)
	}
	s.mu.Lock()
	s.ends[p.name], p.end, p.list = e, e, list
	s.mu.Unlock()
	elected, err := elector.New(c)
	require.NoError(s.t, err)
	s.mu.Lock()
	p.Elector = elected
	s.mu.Unlock()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	p.stop, p.ended = stop, ended
	go func() {
		ended <- elected.Run(ctx, func(ctx context.Context, _ elector.Term) error {
			s.works(p.name, e, true)
			defer s.works(p.name, e, false)
			<-ctx.Done()
			time.Sleep(s.drain)
			return nil
		})
	}()
}

// quit stops the process, if it runs. The caller has the lock.
func (p *pod) quit() {
	if p.end == nil {
		return
	}
	p.stop()
	if err := <-p.ended; err != nil {
		p.s.t.Errorf("%s: %v", p.name, err)
	}
	time.Sleep(2 * latency) // its last packets arrive
	p.s.mu.Lock()
	if p.s.ends[p.name] == p.end {
		delete(p.s.ends, p.name)
	}
	p.s.mu.Unlock()
	_ = p.end.Close()
	if p.end.dead.Load() {
		for name, b := range p.saved {
			require.NoError(p.s.t, os.WriteFile(filepath.Join(p.dir, name), b, 0o600))
		}
	}
	p.end = nil
	p.s.settle()
}

// kill ends a process as SIGKILL does: it neither sends nor saves anything from now on. It starts again after a while.
// The caller holds mu.
func (s *site) kill(name string, done *sync.WaitGroup) {
	p := s.pods[name]
	if p == nil || p.end == nil || p.end.dead.Load() {
		return
	}
	e := p.end
	e.dead.Store(true)
	delete(s.ends, name)
	p.saved = make(map[string][]byte)
	if p.dir != "" {
		files, err := filepath.Glob(filepath.Join(p.dir, "*.state"))
		require.NoError(s.t, err)
		for _, file := range files {
			b, err := os.ReadFile(file)
			require.NoError(s.t, err)
			p.saved[filepath.Base(file)] = b
		}
	}
	s.killed(name)
	done.Go(func() {
		s.settle()
		p.lock()
		defer p.unlock()
		if p.end != e {
			return // it was restarted
		}
		p.quit()
		time.Sleep(3 * elector.LAN().Lease)
		p.run(p.list)
	})
}

// end stops all processes.
func (s *site) end() {
	for _, name := range s.running() {
		s.halt(name)
	}
	synctest.Wait()
	time.Sleep(time.Second) // packets in flight
}

func (s *site) running() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.ends))
}

// leader returns the process that leads, or "".
func (s *site) leader() string {
	s.judge.mu.Lock()
	defer s.judge.mu.Unlock()
	for name, l := range s.leases {
		if l.leads {
			return name
		}
	}
	return ""
}

// ready waits until a process has been healthy for a second.
func (s *site) ready(name string, most time.Duration) (text string, ok bool) {
	p, good := s.pod(name), 0
	for began := time.Now(); good < 10; time.Sleep(100 * time.Millisecond) {
		p.lock()
		code := 503
		if p.end != nil {
			code, text = ill(p.Elector)
		}
		p.unlock()
		if good++; code != 200 {
			good = 0
		}
		if time.Since(began) > most {
			return text, false
		}
	}
	return text, true
}

// judge judges leases, Terms and lists.
type judge struct {
	t       *testing.T
	mu      sync.Mutex
	leases  map[string]held
	term    uint64 // the largest that has led
	owner   *end
	labels  map[string]string // configurations by label
	lists   map[string]string // the agreed members, by who holds them
	wish    string            // the list that is awaited
	first   time.Time         // when one member has agreed on it
	working map[string]bool   // whose work has not returned
	leads   int
	vacant  time.Time // since when none leads
	total   time.Duration
	longest time.Duration
	spans   int
}

// held is the lease of a process.
type held struct {
	term  elector.Term
	leads bool
	until time.Time // if it was killed: until when the others must respect its lease
}

func (j *judge) renewed(name string, e *end, term elector.Term) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if e.dead.Load() {
		return
	}
	for other, l := range j.leases {
		if other != name && (l.term.Valid(0) || time.Now().Before(l.until)) {
			j.t.Errorf("the leases of %s and %s are valid at the same time", name, other)
		}
	}
	switch {
	case term.Number < j.term, term.Number == j.term && j.owner != e:
		j.t.Errorf("%s leads in Term %d after Term %d", name, term.Number, j.term)
	default:
		j.term, j.owner = term.Number, e
	}
	l := j.leases[name]
	j.leases[name] = held{term: term, leads: l.leads}
}

// works records that the work of a leader begins or has returned.
func (j *judge) works(name string, e *end, works bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if e.dead.Load() {
		return
	}
	if delete(j.working, name); !works {
		return
	}
	if len(j.working) > 0 {
		j.t.Errorf("the work of %s begins while %v work", name, j.working)
	}
	j.working[name] = true
}

// killed records that a process has been killed.
func (j *judge) killed(name string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	l := j.leases[name]
	j.vacate(&l)
	l.until, l.term = time.Now().Add(l.term.Left()), elector.Term{}
	j.leases[name] = l
	delete(j.lists, name)
	delete(j.working, name)
}

func (j *judge) vacate(l *held) {
	if l.leads {
		if j.leads--; j.leads == 0 {
			j.vacant = time.Now()
		}
	}
	l.leads = false
}

func (j *judge) observed(name string, e *end, v elector.View) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if e.dead.Load() {
		return
	}
	l := j.leases[name]
	switch {
	case v.Self && !l.leads && time.Now().After(l.until):
		if l.leads = true; j.leads == 0 && !j.vacant.IsZero() {
			if gap := time.Since(j.vacant); gap > 0 {
				j.total += gap
				j.spans++
				j.longest = max(j.longest, gap)
			}
		}
		j.leads++
	case !v.Self:
		j.vacate(&l)
	}
	j.leases[name] = l
	if j.lists[name] = v.Members; v.Members == j.wish && j.first.IsZero() {
		j.first = time.Now()
	}
	if v.Why == elector.Ended {
		delete(j.lists, name)
	}
}

// await sets the list that is awaited.
func (j *judge) await(list []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.wish, j.first = strings.Join(list, " "), time.Time{}
}

// agreed returns why some processes do not agree on a list yet, or "".
func (s *site) agreed(list, all []string) string {
	want, leader := strings.Join(all, " "), s.leader()
	if !slices.Contains(list, leader) {
		return fmt.Sprintf("the leader is %q", leader)
	}
	for _, name := range list {
		p := s.pod(name)
		p.lock()
		e := p.Elector
		if p.end == nil {
			e = nil
		}
		p.unlock()
		if e == nil {
			return name + " does not run"
		}
		v, m := e.Leader(), e.Members()
		if v.Members != want || v.Leader != leader || len(m.Next) > 0 {
			return fmt.Sprintf("%s follows %q of %q, next %v, role %v, waits %q, %v", name, v.Leader, v.Members, m.Next,
				m.Role, m.Waits, m.Lists)
		}
		if why := s.chain(m); why != "" {
			return why
		}
	}
	return ""
}

// unknown returns which processes do not know the address of another one, or "".
func (s *site) unknown() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.ends {
		for _, b := range s.ends {
			if a != b && !a.reaches(b) {
				return fmt.Sprintf("%s dials %q for %s", a.name, a.dials[b.name], b.at)
			}
		}
	}
	return ""
}

// chain reports whether two processes hold different configurations with one label.
func (s *site) chain(m elector.Members) string {
	s.judge.mu.Lock()
	defer s.judge.mu.Unlock()
	text := fmt.Sprint(m.Agreed, m.Next, m.Called)
	if before, ok := s.labels[m.Label()]; ok && before != text {
		s.t.Errorf("configuration %s is %s and %s", m.Label(), before, text)
	}
	s.labels[m.Label()] = text
	return ""
}

// kinds are the kinds of messages of package lease.
var kinds = func() map[string]uint8 {
	all := make(map[string]uint8)
	for i, k := range lease.Algorithms()[0].Kinds {
		all[k.Name] = uint8(i + 1)
	}
	return all
}()

// letters returns the names of a list.
func letters(list string) []string {
	names := strings.Split(list, "")
	slices.Sort(names)
	return names
}

func without(list, others []string) (rest []string) {
	for _, name := range list {
		if !slices.Contains(others, name) {
			rest = append(rest, name)
		}
	}
	return rest
}
