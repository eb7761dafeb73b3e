package lease

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

var long = flag.Bool("long", false, "take a million walks")

// walk is a group of Nodes among which anything may happen in any order: messages arrive late, more than once
// or never, processes pause, stop and return with what they saved, and with any list; leaders change the voters, and hand over. It notes what must never happen.
type walk struct {
	t       *testing.T
	rng     *rand.Rand
	configs []Config // a process that starts has one of them
	durable bool
	nodes   []walker
	bag     []letter
	now     time.Duration
	most    uint64 // largest Term of a lease
	last    string // sets that were confirmed last
	label   uint64
	wrong   string
	lists   [][]election.ID
	wishes  [][]election.ID
	log     []string
	changes int
}

type letter struct {
	from, to int
	msg      election.Message
	lease    time.Duration // of its sender
	start    int           // of its sender
}

type walker struct {
	node   election.Node
	env    *election.Env
	config Config
	starts int
	peers  map[int]time.Duration // Leases of others, as they have told
	lent   time.Duration         // GrantTime when it saved
	saved  []byte
	timers [2]time.Duration // zero: not set
	until  time.Duration
	term   uint64
	paused bool
}

// walkView is what a process of a walk knows about the others.
type walkView struct {
	w  *walk
	me int
}

func (v walkView) Self(int) election.Rank { return election.Rank{ID: election.ID(v.me + 1)} }
func (v walkView) Ports(int) int          { return len(v.w.nodes) - 1 }
func (v walkView) Peer(_ int, p election.Port) election.Rank {
	return election.Rank{ID: election.ID(v.behind(p) + 1)}
}
func (v walkView) behind(p election.Port) int {
	if int(p) >= v.me {
		return int(p) + 1
	}
	return int(p)
}

func (w *walk) portTo(at, to int) election.Port {
	if to > at {
		return election.Port(to - 1)
	}
	return election.Port(to)
}

func (w *walk) say(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf("%v: ", w.now)+fmt.Sprintf(format, args...))
}

func (w *walk) step(i int, ev election.Event) {
	p := &w.nodes[i]
	ev.At = w.now
	var before configuration
	leads := p.node.(*process).phase == leading
	before.assign(&p.node.(*process).voting)
	fx := p.env.Begin(0)
	p.node.Step(p.env, &ev)
	if fx.Saved() {
		p.saved = new(election.State).Append(p.saved[:0], p.node)
		p.lent = p.node.(*process).grantTime()
	}
	for _, s := range fx.Sends {
		w.bag = append(w.bag, letter{i, walkView{w, i}.behind(s.Port), s.Msg, p.config.Lease, p.starts})
	}
	for _, c := range fx.Timers {
		switch {
		case c.Stop:
			p.timers[c.Timer] = 0
		default:
			p.timers[c.Timer] = w.now + c.Min + time.Duration(w.rng.Int64N(int64(c.Max-c.Min)+1)) + 1
		}
	}
	if fx.Decided() {
		w.judge(i, fx.Outcome)
	}
	n := p.node.(*process)
	if leads && before.isJoint() && ev.Op == election.Recv && n.voting.label == before.label+1 {
		w.confirmed(i, &before) // and completed in the same step
	}
	if n.phase == leading && n.confirmed && n.voting.label != w.label {
		w.confirmed(i, &n.voting)
	}
}

func (w *walk) judge(i int, o election.Outcome) {
	p := &w.nodes[i]
	if o.Role != election.Leader {
		p.until = 0
		return
	}
	if p.until == 0 || p.term != o.Term {
		w.say("%d leads in Term %d", i+1, o.Term)
		if o.Term <= w.most {
			w.fail("Term %d of %d follows Term %d", o.Term, i+1, w.most)
		}
		w.most = max(w.most, o.Term)
	}
	p.until, p.term = o.Until, o.Term
	for j := range w.nodes {
		if q := &w.nodes[j]; j != i && q.until > w.now && p.until > w.now {
			w.fail("%d leads in Term %d and %d in Term %d", i+1, o.Term, j+1, q.term)
		}
	}
}

func (w *walk) fail(format string, args ...any) {
	if w.wrong == "" {
		w.wrong = fmt.Sprintf(format, args...)
		w.say("WRONG %s", w.wrong)
	}
}

func (w *walk) names(i int, v *voters) (s string) {
	for j := range w.nodes {
		if j == i && v.self || j != i && v.others.Has(w.portTo(i, j)) {
			s += fmt.Sprint(j + 1)
		}
	}
	return s
}

func (w *walk) confirmed(i int, c *configuration) {
	old, now := w.names(i, &c.old), w.names(i, &c.new)
	w.say("%d.%d is confirmed: %s %s", c.label>>stepBits, c.label&lastStep, old, now)
	is := old + "+" + now
	var lastOld, lastNew string
	if w.last != "" {
		at := slices.Index([]byte(w.last), '+')
		lastOld, lastNew = w.last[:at], w.last[at+1:]
		chain := is == w.last || lastOld == "" && old == lastNew || lastOld != "" && old == "" && (now == lastOld || now == lastNew)
		if !chain {
			w.fail("%s is confirmed after %s", is, w.last)
		}
		if c.label < w.label {
			w.fail("label %d is confirmed after %d", c.label, w.label)
		}
		if is != w.last {
			w.changes++
		}
	}
	w.last, w.label = is, c.label
}

func (w *walk) restart(i int, keep bool) {
	p := &w.nodes[i]
	p.until = 0
	p.timers = [2]time.Duration{}
	if !keep {
		p.saved = p.saved[:0]
	}
	p.config, p.starts, p.peers = w.configs[w.rng.IntN(len(w.configs))], p.starts+1, map[int]time.Duration{}
	if len(p.saved) > 0 {
		p.config.LastGrant = p.lent
	}
	alg, err := New(p.config)
	require.NoError(w.t, err)
	p.node = alg.New(election.Setup{Self: walkView{w, i}.Self(0), Ports: len(w.nodes) - 1})
	if len(p.saved) > 0 {
		require.NoError(w.t, new(election.State).Restore(p.node, p.saved))
	}
	w.step(i, election.Event{Op: election.Init, Msg: election.Message{Value: w.rng.Uint64()>>1 | 1}})
	// Two disjoint lists may found two groups.
	list := w.wishes[w.rng.IntN(len(w.wishes))]
	w.say("%d starts, memory %v, Lease %v, list %v", i+1, keep, p.config.Lease, list)
	for k, id := range list {
		w.step(i, election.Event{Op: election.Command, Msg: Wish(id, k, len(list))})
	}
	w.step(i, election.Event{Op: election.Rejoin})
	w.step(i, election.Event{Op: election.Start})
}

func (w *walk) command(i int, m election.Message) {
	w.step(i, election.Event{Op: election.Command, Msg: m})
}

// deliver delivers a message. A process first tells its Lease; what an earlier process with its name has sent may still
// arrive.
func (w *walk) deliver(l letter) {
	if p, sender := &w.nodes[l.to], &w.nodes[l.from]; l.start == sender.starts && p.peers[l.from] != l.lease {
		p.peers[l.from] = l.lease
		id := election.ID(0)
		if l.lease > p.config.Lease {
			id = election.ID(l.from + 1)
		}
		w.command(l.to, LendFor(slices.Max(slices.Collect(maps.Values(p.peers))), id))
	}
	w.step(l.to, election.Event{Op: election.Recv, Port: w.portTo(l.to, l.from), Msg: l.msg})
}

// intact reports whether all processes but one have their memory.
func (w *walk) intact(but int) bool {
	for j := range w.nodes {
		if j != but && w.nodes[j].node.(*process).memory != intact {
			return false
		}
	}
	return true
}

// act takes one random step.
func (w *walk) act() {
	i := w.rng.IntN(len(w.nodes))
	n := w.nodes[i].node.(*process)
	switch x := w.rng.IntN(1000); {
	case x < 20:
		w.nodes[i].paused = !w.nodes[i].paused && x < 5
	case x < 22 && (w.durable || w.intact(i)):
		w.restart(i, w.durable)
	case x < 60 && n.phase == leading && n.confirmed && !n.voting.isJoint():
		list := w.lists[w.rng.IntN(len(w.lists))]
		for k, id := range list {
			w.command(i, Change(id, k, len(list), false))
		}
	case x < 80 && n.phase == leading && n.voting.isJoint():
		w.command(i, TakeBack())
	case x < 100 && n.phase == leading && n.voting.isJoint():
		w.command(i, Complete())
	case x < 102 && n.phase == leading:
		w.command(i, Resign(0, 0))
	case x < 130:
		w.now += time.Duration(w.rng.IntN(3)) * time.Second
	case x < 400:
		for timer, at := range w.nodes[i].timers {
			if at != 0 && at <= w.now && !w.nodes[i].paused {
				w.nodes[i].timers[timer] = 0
				w.step(i, election.Event{Op: election.Timeout, Timer: uint8(timer)})
			}
		}
	case len(w.bag) > 0:
		k := w.rng.IntN(len(w.bag))
		l := w.bag[k]
		if w.nodes[l.to].paused {
			return
		}
		if len(w.bag) > 150 || w.rng.IntN(4) > 0 {
			w.bag[k] = w.bag[len(w.bag)-1]
			w.bag = w.bag[:len(w.bag)-1]
		}
		w.deliver(l)
	}
	for len(w.bag) > 200 {
		k := w.rng.IntN(len(w.bag))
		w.bag[k] = w.bag[len(w.bag)-1]
		w.bag = w.bag[:len(w.bag)-1]
	}
}

// settle continues without faults: messages arrive soon and in order, timers fire in time, and all processes want the
// same voters. In the end one process must lead, and all must hold these voters.
func (w *walk) settle(list []election.ID) {
	w.bag = w.bag[:0]
	founded := slices.ContainsFunc(w.nodes, func(p walker) bool {
		return isAgreed(p.node.(*process).voting.label)
	})
	if w.wishes = [][]election.ID{list}; !founded {
		w.most = 0
	}
	for i := range w.nodes {
		w.nodes[i].paused = false
		// A founding may have been cut off after some were bound: then the memory has to be deleted.
		if w.durable || !founded {
			w.restart(i, founded)
		}
	}
	for end := w.now + 400*time.Second; w.now < end; {
		for len(w.bag) > 0 {
			l := w.bag[0]
			w.bag = w.bag[1:]
			w.deliver(l)
		}
		for i := range w.nodes {
			n := w.nodes[i].node.(*process)
			switch {
			case n.phase != leading || !n.confirmed:
			case n.voting.isJoint():
				w.command(i, Complete())
			default:
				for k, id := range list {
					w.command(i, Change(id, k, len(list), false))
				}
				// A voter may have granted a claim of a larger Term whose owner crashed. It refuses this leader
				// for as long as the leader leads.
				if now := w.now - n.began; now > 40*time.Second && w.names(i, &n.voting.new) != w.names(i, w.wanted(i, list)) {
					w.command(i, Resign(0, 0))
				}
			}
			for timer, at := range w.nodes[i].timers {
				if at != 0 && at <= w.now {
					w.nodes[i].timers[timer] = 0
					w.step(i, election.Event{Op: election.Timeout, Timer: uint8(timer)})
				}
			}
		}
		if len(w.bag) == 0 {
			w.now += time.Second / 2
		}
	}
	leads, want := 0, w.names(0, w.wanted(0, list))
	for i := range w.nodes {
		n := w.nodes[i].node.(*process)
		if n.phase == leading {
			leads++
		}
		if w.names(i, &n.voting.new) != want || n.voting.isJoint() || isWish(n.voting.label) || n.memory != intact {
			w.fail("%d holds %d.%d %s %s, memory %d, and not %s", i+1, n.voting.label>>stepBits, n.voting.label&lastStep,
				w.names(i, &n.voting.old), w.names(i, &n.voting.new), n.memory, want)
		}
	}
	if leads != 1 {
		w.fail("%d processes lead", leads)
	}
}

// wanted returns a list as process i holds it.
func (w *walk) wanted(i int, list []election.ID) *voters {
	v := &voters{}
	for _, id := range list {
		if int(id) == i+1 {
			v.self = true
		} else {
			v.others.Add(w.portTo(i, int(id)-1))
		}
	}
	return v
}

func ids(s string) (list []election.ID) {
	for _, c := range s {
		list = append(list, election.ID(c-'0'))
	}
	return list
}

// begin founds nothing yet: n processes start with the same list.
func begin(t *testing.T, seed uint64, configs ...Config) *walk {
	n := 3 + int(seed%3)
	all := "12345"[:n]
	w := &walk{t: t, rng: rand.New(rand.NewPCG(seed, 1)), configs: configs, durable: configs[0].Durable,
		nodes:  make([]walker, n),
		wishes: [][]election.ID{ids(all)},
		lists:  [][]election.ID{ids(all), ids(all[:1]), ids(all[1:]), ids(all[:2]), ids(all[:3])}}
	for i := range w.nodes {
		w.nodes[i].env = election.NewEnv(walkView{w, i}, func(n int) int { return w.rng.IntN(n) })
	}
	for i := range w.nodes {
		w.restart(i, true)
	}
	// The lists of later starts have a member in common: disjoint lists may found two groups.
	if w.durable {
		w.wishes = [][]election.ID{ids(all), ids(all[:1]), ids(all[:2]), ids(all[:3])}
	} else { // a process without memory would found a group of its own, or be the majority
		w.lists = slices.DeleteFunc(w.lists, func(list []election.ID) bool { return len(list) == 1 })
	}
	return w
}

// TestWalk: whatever happens, no two processes lead at the same time, Terms increase, and each configuration that is
// confirmed follows the one before. Once everything works again, one process leads the voters that all want.
func TestWalk(t *testing.T) {
	takeWalks(t, walkConfig)
}

// TestWalkLeases: the same if the Leases differ, and a process that restarts may have another one.
func TestWalkLeases(t *testing.T) {
	short, long := walkConfig, walkConfig
	short.Lease = 3 * time.Second
	takeWalks(t, short, long)
}

// TestWalkWithoutMemory: the same if a process that restarts has lost its memory, while all others have theirs.
func TestWalkWithoutMemory(t *testing.T) {
	short, long := walkConfig, walkConfig
	short.Durable, long.Durable, short.Lease = false, false, 3*time.Second
	takeWalks(t, short, long)
}

var walkConfig = Config{Lease: 8 * time.Second, Renew: 2 * time.Second, Delay: time.Second, Drift: -1, Stagger: -1,
	Durable: true, Cold: -1}

func takeWalks(t *testing.T, configs ...Config) {
	walks, changes, terms := uint64(1000), 0, uint64(0)
	if *long {
		walks = 1_000_000
	}
	for seed := range walks {
		w := begin(t, seed, configs...)
		for range 4000 {
			if w.act(); w.wrong != "" {
				break
			}
		}
		terms += w.most
		if w.wrong == "" {
			w.settle(w.lists[w.rng.IntN(len(w.lists))])
		}
		require.Empty(t, w.wrong, "seed %d:\n%s", seed, strings.Join(w.log, "\n"))
		changes += w.changes
	}
	require.Greater(t, changes, int(walks)/2)
	require.Greater(t, terms, 5*walks)
}
