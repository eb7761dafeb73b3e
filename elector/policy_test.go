package elector

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A rolled is a simulated group with the real policy. Members restart, and a change succeeds if those who are up grant
// it.
type rolled struct {
	t        testing.TB
	now      time.Duration
	term     uint64
	leader   string
	policies map[string]*policy // of each process since its start
	old, new []string
	called   bool
	before   bool // called, of old
	begun    bool
	until    time.Duration       // of the lease, while a change is in progress
	wishes   map[string][]string // of those who are up
	deaf     map[string]bool     // who does not grant
	jams     map[string]bool     // who grants what it has, but no change
	spent    []uint64
	had      map[string]string // the last list of each process
	moved    int               // how many restarts with another list there were since the last change
	changes  []string
	returns  int // how many changes were back to a list that was in effect before
	taken    int // how often a change was taken back
	resigned int
	last     verdict
	draw     *rand.Rand // if not nil, leaders crash during changes
}

const testLease = time.Second

func names(list string) []string { return strings.Fields(list) }

// roll returns a group in which all members wish what they have.
func roll(t testing.TB, list string) *rolled {
	r := &rolled{t: t, new: names(list), policies: make(map[string]*policy), wishes: make(map[string][]string),
		deaf: make(map[string]bool), jams: make(map[string]bool), had: make(map[string]string)}
	for _, name := range r.new {
		r.start(name, list)
	}
	r.settle()
	return r
}

// start starts a process, again if it was started before.
func (r *rolled) start(name, wish string) {
	r.stop(name)
	r.wishes[name], r.policies[name] = names(wish), &policy{}
	if r.had[name] != wish {
		r.had[name] = wish
		r.moved++
	}
}

func (r *rolled) stop(name string) {
	delete(r.wishes, name)
	if r.leader == name {
		r.leader = ""
	}
}

func (r *rolled) grants(name string) bool {
	return r.wishes[name] != nil && !r.deaf[name]
}

func (r *rolled) quorum() bool {
	return majority(r.new, r.grants) && (len(r.old) == 0 || majority(r.old, r.grants))
}

// elect elects a leader if there is none and one is possible.
func (r *rolled) elect() bool {
	if !r.quorum() {
		r.leader = ""
		return false
	}
	if r.leader != "" && slices.Contains(union(r.old, r.new), r.leader) {
		return true
	}
	r.term++
	r.begun, r.until = false, 0
	r.leader = ""
	all := slices.DeleteFunc(union(r.old, r.new), func(name string) bool { return !r.grants(name) })
	r.leader = all[0]
	if r.draw != nil {
		r.leader = all[r.draw.IntN(len(all))]
	}
	return true
}

// jammed reports whether the change in progress lacks a quorum that stores it.
func (r *rolled) jammed() bool {
	stores := func(name string) bool { return r.grants(name) && !r.jams[name] }
	return r.begun && (!majority(r.old, stores) || !majority(r.new, stores))
}

func (r *rolled) situation() *situation {
	s := &situation{now: r.now, until: r.now + testLease, lease: testLease, term: r.term, old: r.old, new: r.new,
		called: r.called, confirmed: !r.jammed(), begun: r.begun, granted: make(map[string]bool), wishes: r.wishes,
		spent: r.spent}
	if r.begun {
		s.until = r.until
	}
	for name := range r.wishes {
		s.granted[name] = r.grants(name)
	}
	return s
}

// settle asks the policy until it does nothing more, or waits for more than ten leases.
func (r *rolled) settle() {
	for range 100 {
		if !r.elect() || !r.step(r.policies[r.leader].judge(r.situation()), 10*testLease) {
			return
		}
	}
	r.t.Fatalf("the policy never rests: %v", r.changes)
}

// step does what the policy wants, and reports whether it is to be asked again.
func (r *rolled) step(v verdict, patience time.Duration) bool {
	r.last = v
	require.False(r.t, v.move != stay && v.reason == "", "a move without a reason")
	require.False(r.t, v.again != 0 && v.again <= r.now, "asks again in the past")
	r.spent = append(r.spent, v.spend...)
	r.spent = r.spent[max(0, len(r.spent)-16):]
	switch v.move {
	case begin:
		require.Empty(r.t, r.old)
		r.old, r.before, r.new, r.called = r.new, r.called, v.list, v.called
		r.begun, r.until = true, r.now+testLease
		if r.draw != nil && r.draw.IntN(4) == 0 {
			r.leader = "" // a crash between the two steps; the process itself is back soon
			return true
		}
		if !r.jammed() {
			r.done()
		}
		return true
	case complete:
		require.NotEmpty(r.t, r.old)
		r.done()
		return true
	case takeBack:
		require.NotEmpty(r.t, r.old)
		r.new, r.old, r.called, r.begun = r.old, nil, r.before, false
		r.taken++
		return true
	case resign:
		r.resigned++
		clear(r.deaf) // a larger Term helps
		r.leader = ""
		return true
	}
	if v.again == 0 || v.again > r.now+patience {
		return false
	}
	r.now = v.again
	return true
}

func (r *rolled) done() {
	if !slices.Equal(r.old, r.new) {
		r.changes = append(r.changes, spaced(r.new))
		switch spent := slices.Contains(r.spent, hashOf(r.new)); {
		case r.called:
		case !spent:
			require.NotContains(r.t, r.changes[:len(r.changes)-1], spaced(r.new), "it was in effect before")
		default:
			r.returns++
			require.NotZero(r.t, r.moved, "the members return to %s, but all have the lists that they had: %v", r.new,
				r.changes)
		}
		r.moved = 0
	}
	r.old, r.begun = nil, false
}

// call is SetMembers.
func (r *rolled) call(list string) verdict {
	require.True(r.t, r.elect())
	v := r.policies[r.leader].call(r.situation(), names(list))
	r.step(v, 0)
	return v
}

// TestRolls: the members change when enough processes have restarted with another list, in any order.
func TestRolls(t *testing.T) {
	for _, test := range []struct{ name, from, steps, want string }{
		{"StatefulSet up", "a b c", "d=abcde e=abcde c=abcde! b=abcde a=abcde", "a b c d e"},
		{"up from the first", "a b c", "a=abcde b=abcde c=abcde! d=abcde e=abcde", "a b c d e"},
		{"up, mixed", "a b c", "b=abcde d=abcde a=abcde! e=abcde c=abcde", "a b c d e"},
		{"down, list first", "a b c d e", "e=abc d=abc c=abc b=abc! a=abc -e -d", "a b c"},
		{"down, both together", "a b c d e", "-e -d c=abc b=abc a=abc!", "a b c"},
		{"replace two", "a b c", "a=ade d=ade! e=ade -b -c", "a d e"},
		{"one becomes two", "a", "b=ab a=ab!", "a b"},
		{"two become one", "a b", "a=a b=a! -b", "a"},
		{"two become one, the other is dead", "a b", "-b a=a", ""},
		{"rename", "a b c", "a=abx x=abx! b=abx -c", "a b x"},
		{"replace one after another", "a b c",
			"d=bcd b=bcd! c=bcd -a e=cde c=cde! d=cde -b f=def d=def! e=def -c", "b c d/c d e/d e f"},
		{"half done and back", "a b c",
			"d=abcde e=abcde c=abcde! e=abc! d=abc c=abc -e -d", "a b c d e/a b c"},
		{"half done and back, by deletion", "a b c",
			"d=abcde e=abcde c=abcde! -e -d c=abc!", "a b c d e/a b c"},
		{"back before the change", "a b c", "d=abcde e=abcde -e -d", ""},
		{"a wrong list on one machine", "a b c", "c=c -c c=abcd c=", ""},
		{"a wrong list on the machine of a group of one", "a", "b=b", ""},
		{"a wrong list on one machine of two", "a b", "b=b", ""},
		{"strangers with a list of their own", "a b c", "d=def e=def f=def", ""},
		{"strangers with a list that contains a member", "a b c", "d=ade e=ade", ""},
		{"removed members keep their list", "a b c", "d=ade e=ade a=ade! b=abc c=abc", "a d e"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := roll(t, test.from)
			for step := range strings.FieldsSeq(test.steps) {
				before := len(r.changes)
				step, changes := strings.CutSuffix(step, "!")
				if name, ok := strings.CutPrefix(step, "-"); ok {
					r.stop(name)
				} else {
					name, list, _ := strings.Cut(step, "=")
					r.stop(name)
					r.settle() // the others first
					require.Len(t, r.changes, before, "while %s restarts", name)
					r.start(name, strings.Join(strings.Split(list, ""), " "))
				}
				r.settle()
				require.Equal(t, changes, len(r.changes) > before, "after %s: %v, %s", step, r.changes, r.last.reason)
			}
			require.Equal(t, test.want, strings.Join(r.changes, "/"))
			require.Zero(t, r.taken)
			require.Zero(t, r.resigned)
		})
	}
}

// TestWhyNot: the log and the status say why the members are not changed.
func TestWhyNot(t *testing.T) {
	r := roll(t, "a b c")
	says := func(reason string, blockedBy ...string) {
		t.Helper()
		require.True(t, r.elect())
		v := (&policy{}).judge(r.situation())
		require.Equal(t, stay, v.move)
		require.Equal(t, reason, v.reason)
		require.Equal(t, blockedBy, v.blockedBy)
	}
	says("")
	r.start("c", "c")
	says("1 of 3 wish c; waits: a, b have the list a b c", "a", "b")
	r.start("c", "a b c d e")
	says("1 of 5 wish a b c d e; waits: a, b have the list a b c; d, e are not connected", "a", "b", "d", "e")
	for _, name := range names("b d e") {
		r.deaf[name] = true
		r.start(name, "a b c d e")
	}
	says("4 of 5 wish a b c d e; begins when one of b, d, e is ready", "b", "d", "e")
	r.deaf["d"] = false
	r.settle()
	require.Equal(t, []string{"a b c d e"}, r.changes)
	says("1 of 5 wish a b c; it was in effect before, so a majority of a b c d e must wish it; waits: b, c, d, e have "+
		"the list a b c d e", "b", "c", "d", "e")

	r = roll(t, "a b")
	r.start("c", "a b c")
	r.start("a", "a b c")
	r.deaf["c"], r.deaf["b"] = true, true
	v := (&policy{}).judge(&situation{term: 1, lease: testLease, new: names("a b"), confirmed: true, wishes: r.wishes,
		granted: map[string]bool{"a": true}})
	require.Equal(t, "2 of 3 wish a b c; begins when b is ready and one of b, c is ready", v.reason)
	require.Equal(t, names("b c"), v.blockedBy)
	require.True(t, v.watch)

	require.Equal(t, map[string][]string{"a b": {"b"}, "a": {"a", "c"}},
		grouped(map[string][]string{"b": names("a b"), "c": names("a"), "a": names("a")}))
}

// TestCalls: SetMembers prevails over the lists until a majority of the members has its list.
func TestCalls(t *testing.T) {
	r := roll(t, "a b c")
	r.deaf["c"] = true
	v := r.call("a b c d e")
	require.Equal(t, "SetMembers names a b c d e; begins when one of c, d, e is ready", v.reason)
	require.Equal(t, names("c d e"), v.blockedBy)
	clear(r.deaf)
	r.start("d", "a b c")
	r.start("e", "a b c")
	r.settle()
	require.Equal(t, begin, r.call("a b c d e").move)
	require.True(t, r.called)
	require.Equal(t, verdict{}, r.call("a b c d e"), "twice is once")

	r.settle()
	require.True(t, r.called)
	require.Equal(t, "5 of 5 wish a b c, but SetMembers has named a b c d e", r.last.reason)
	r.start("a", "a b c d e")
	r.start("b", "a b c d e")
	r.settle()
	require.True(t, r.called, "two of five have its list")
	r.start("c", "a b c d e")
	r.settle()
	require.False(t, r.called, "a majority has its list")
	require.Equal(t, []string{"a b c d e"}, r.changes)

	// Lists decide again.
	for _, name := range names("e d c b a") {
		r.start(name, "a b c")
		r.settle()
	}
	require.Equal(t, []string{"a b c d e", "a b c"}, r.changes)

	// A call is undone by a list that is new, and by another call.
	require.Equal(t, begin, r.call("a b").move)
	require.Equal(t, begin, r.call("a b c").move)
	require.True(t, r.called)
	r.start("f", "a b f")
	r.start("a", "a b f")
	r.settle()
	require.Equal(t, "a b f", spaced(r.new))
	require.False(t, r.called)
	require.Equal(t, begin, r.call("a b f").move, "the same members, but called")
	require.True(t, r.called)
}

// TestCallDuringRoll: lists that are in use at the time of a call do not undo it.
func TestCallDuringRoll(t *testing.T) {
	r := roll(t, "a b c")
	r.start("d", "a b c d e")
	r.start("e", "a b c d e")
	r.settle()
	require.Equal(t, begin, r.call("a b c d").move)
	for _, name := range names("c b a d e") {
		r.start(name, "a b c d e")
		r.settle()
		require.Equal(t, "a b c d", spaced(r.new))
	}
}

// TestTakeBack: a change that is not confirmed is taken back while there is time to renew the lease, and tried again at
// growing intervals. The leader resigns once.
func TestTakeBack(t *testing.T) {
	r := roll(t, "a b")
	r.wishes["a"], r.wishes["b"] = names("a b c"), names("a b c")
	r.jams["a"], r.jams["b"] = true, true
	p := &policy{}
	r.policies["a"], r.policies["b"] = p, p
	var tried []time.Duration
	for r.now < 200*testLease {
		r.elect()
		v := p.judge(r.situation())
		if v.move == begin {
			tried = append(tried, r.now)
			require.Equal(t, r.now+testLease/2, v.again)
		}
		if v.move == takeBack {
			require.Equal(t, tried[len(tried)-1]+testLease/2, r.now)
			require.Equal(t, "the change to a b c is not confirmed", v.reason)
		}
		if v.move == stay && v.again == 0 {
			r.now += testLease / 4
		} else {
			r.step(v, 1000*testLease)
		}
	}
	var pauses []time.Duration
	for i := range len(tried) - 1 {
		pauses = append(pauses, (tried[i+1]-tried[i]-testLease/2)/testLease)
	}
	require.Equal(t, []time.Duration{2, 4, 8, 16, 32, 64}, pauses[:6])
	require.Equal(t, 1, r.resigned)
	require.Equal(t, len(tried), r.taken)

	clear(r.jams)
	for len(r.changes) == 0 {
		require.True(t, r.step(p.judge(r.situation()), 1000*testLease))
	}
	r.settle()
	require.Zero(t, p.failures, "the change has succeeded")
}

// TestOtherListAfterTakeBack: another list waits only for a short time, and a call does not wait.
func TestOtherListAfterTakeBack(t *testing.T) {
	r := roll(t, "a b c")
	p := r.policies[r.leader]
	p.failed, p.failures, p.failedAt = keyOf(names("a b d"), false), 6, r.now
	for _, name := range names("a b d") {
		r.wishes[name] = names("a b d")
	}
	s := r.situation()
	v := p.judge(s)
	require.Equal(t, "3 of 4 wish a b d; waits because a change was taken back", v.reason)
	require.Equal(t, r.now+64*testLease, v.again)
	for _, name := range names("a b e") {
		r.wishes[name] = names("a b e")
	}
	require.Equal(t, r.now+2*testLease, p.judge(r.situation()).again)
	require.Equal(t, begin, p.call(r.situation(), names("a b d")).move)
}

// TestLateInLease: no change begins shortly before a renewal is due.
func TestLateInLease(t *testing.T) {
	r := roll(t, "a")
	p := r.policies["a"]
	for _, name := range names("a b") {
		r.wishes[name] = names("a b")
	}
	s := r.situation()
	s.until = r.now + testLease/2
	v := p.judge(s)
	require.Equal(t, stay, v.move)
	require.Greater(t, v.again, s.now)
	require.Less(t, v.again, s.until)
	s.until = r.now + testLease*3/4
	require.Equal(t, begin, p.judge(s).move)
}

// TestUnconfirmed: a leader changes nothing before a quorum holds the members.
func TestUnconfirmed(t *testing.T) {
	r := roll(t, "a b c")
	for _, name := range names("a b d") {
		r.wishes[name] = names("a b d")
	}
	s := r.situation()
	s.confirmed = false
	require.Equal(t, stay, (&policy{}).judge(s).move)
	require.Equal(t, stay, (&policy{}).call(s, names("a b")).move)
	require.NotEmpty(t, (&policy{}).call(s, names("a b")).reason)
}

// TestInherit: a leader completes the change that it finds in progress if it is still wished, or called. It waits for
// processes that are not connected yet.
func TestInherit(t *testing.T) {
	for _, test := range []struct {
		wishes string
		called bool
		now    move
		later  move
	}{
		{"a=abc b=abc c=abcde d=abcde e=abcde", false, complete, complete},
		{"a=abc b=abc c=abc d=abcde e=abcde", false, takeBack, takeBack},
		{"a=abc b=abc c=abcde", false, stay, takeBack},
		{"a=abc b=abc c=abc", false, takeBack, takeBack}, // even with d and e there would be too few
		{"a=abc b=abc c=abc d=abc e=abc", true, complete, complete},
	} {
		s := &situation{now: 5 * testLease, until: 6 * testLease, lease: testLease, term: 2, old: names("a b c"),
			new: names("a b c d e"), called: test.called, confirmed: true,
			wishes: make(map[string][]string)}
		for wish := range strings.FieldsSeq(test.wishes) {
			name, list, _ := strings.Cut(wish, "=")
			s.wishes[name] = strings.Split(list, "")
		}
		s.spent = []uint64{hashOf(s.old)}
		unconfirmed := *s
		unconfirmed.confirmed = false
		p := &policy{}
		require.Equal(t, stay, p.judge(&unconfirmed).move, test.wishes)
		v := p.judge(s)
		require.Equal(t, test.now, v.move, test.wishes)
		if v.move == stay {
			require.Equal(t, s.now+testLease, v.again)
			s.now, s.until, s.term = v.again, v.again+testLease, s.term+1
			v = p.judge(s)
			require.Equal(t, s.now+testLease, v.again, "another Term")
			s.now, s.until = v.again, v.again+testLease
		}
		require.Equal(t, test.later, p.judge(s).move, test.wishes)
		require.Equal(t, stay, p.call(s, names("a b")).move, "busy")
	}
}

// TestResign: a leader resigns if a connected process does not grant for long and the change waits for it, and only
// once.
func TestResign(t *testing.T) {
	r := roll(t, "a")
	r.start("b", "a b")
	r.start("a", "a b")
	r.deaf["b"] = true
	r.elect()
	began := r.now
	r.settle()
	require.Equal(t, 1, r.resigned)
	require.Equal(t, began+mostLacking*testLease, r.now)
	require.Equal(t, []string{"a b"}, r.changes)

	p := &policy{}
	s := &situation{lease: testLease, until: testLease, term: 7, new: names("a"), confirmed: true,
		granted: map[string]bool{"a": true}, wishes: map[string][]string{"a": names("a b"), "b": names("a b")}}
	resigned := 0
	for range 1000 {
		if p.judge(s).move == resign {
			resigned++
			s.term++
		}
		s.now, s.until = s.now+testLease/4, s.until+testLease/4
	}
	require.Equal(t, 1, resigned)

	// The time counts from when the list is wished.
	p = &policy{}
	require.Equal(t, s.now+mostLacking*testLease, p.judge(s).again)
	wishes := s.wishes
	s.wishes = nil
	p.judge(s)
	s.now, s.until, s.wishes = s.now+mostLacking*testLease, s.until+mostLacking*testLease, wishes
	require.Equal(t, stay, p.judge(s).move)
}

// TestLostLease: a change during which the leader loses its lease has failed, and is not tried immediately in the next
// Term. A leader that has been asked to resign changes nothing until then.
func TestLostLease(t *testing.T) {
	r := roll(t, "a b")
	p := r.policies["a"]
	r.wishes["a"], r.wishes["b"] = names("a b c"), names("a b c")
	s := r.situation()
	require.Equal(t, begin, p.judge(s).move)
	s.term++
	v := p.judge(s)
	require.Equal(t, stay, v.move)
	require.Equal(t, s.now+2*testLease, v.again)

	p.failures, s.now, s.until = mostFailures, s.now+100*testLease, s.until+100*testLease
	require.Equal(t, resign, p.judge(s).move)
	require.Equal(t, stay, p.judge(s).move)
	s.term++
	require.Equal(t, begin, p.judge(s).move)

	p = &policy{}
	require.Equal(t, begin, p.judge(s).move)
	old := s.wishes
	s.wishes = nil // the change did not begin, and is not wished any more
	require.Equal(t, verdict{}, p.judge(s))
	s.term, s.wishes = s.term+1, old
	require.Equal(t, begin, p.judge(s).move, "it has not failed")
}

// TestMarkTakenBack: if the mark of a call cannot be removed, the leader tries again later, as with any change.
func TestMarkTakenBack(t *testing.T) {
	s := &situation{until: testLease, lease: testLease, term: 1, new: names("a"), called: true, confirmed: true,
		granted: map[string]bool{"a": true}, wishes: map[string][]string{"a": names("a")}}
	p := &policy{}
	v := p.judge(s)
	require.Equal(t, begin, v.move)
	require.Equal(t, s.new, v.list)
	require.False(t, v.called)
	require.Empty(t, v.spend)
	change := *s
	change.old, change.called, change.begun, change.confirmed, change.now = s.new, false, true, false, v.again
	require.Equal(t, takeBack, p.judge(&change).move)
	s.now, s.until = v.again, v.again+testLease
	v = p.judge(s)
	require.Equal(t, stay, v.move)
	require.Equal(t, s.now+2*testLease, v.again)
}

// TestCompetingLists: two lists can each be wished by enough. All leaders choose the same one first.
func TestCompetingLists(t *testing.T) {
	r := roll(t, "a b c")
	for _, wish := range names("a=ade d=ade e=ade b=bfg f=bfg g=bfg") {
		name, list, _ := strings.Cut(wish, "=")
		r.wishes[name] = strings.Split(list, "")
		r.policies[name] = &policy{}
	}
	first := (&policy{}).judge(r.situation())
	require.Equal(t, begin, first.move)
	for range 20 {
		require.Equal(t, first, (&policy{}).judge(r.situation()))
	}
	r.deaf["d"], r.deaf["e"] = true, true
	require.Equal(t, names("b f g"), (&policy{}).judge(r.situation()).list, "the other one cannot begin")
	clear(r.deaf)
	r.settle()
	require.Equal(t, []string{"a d e"}, r.changes)
}

// TestNoFlapping restarts processes with random lists, in random order, with leaders that crash between two steps,
// voters that refuse for a while, and calls. Members return to a list that was in effect before only if a process has
// restarted with another list since. When restarts end, the members change at most once for each list that is new, and
// once more. When all have one list, it prevails.
func TestNoFlapping(t *testing.T) {
	var changes, returns, taken, late int
	for seed := range uint64(1000) {
		draw := rand.New(rand.NewPCG(seed, 1))
		all := names("a b c d e f g h")[:3+draw.IntN(6)]
		lists := make([]string, 2+draw.IntN(3))
		for i := range lists {
			some := make([]string, 1+draw.IntN(len(all)))
			for i, at := range draw.Perm(len(all))[:len(some)] {
				some[i] = all[at]
			}
			slices.Sort(some)
			lists[i] = spaced(some)
		}
		any := func() string { return lists[draw.IntN(len(lists))] }
		r := roll(t, lists[0])
		r.draw = draw
		list := any()
		for range 60 {
			switch name := all[draw.IntN(len(all))]; draw.IntN(16) {
			case 0:
				r.stop(name)
			case 1:
				r.jams[name] = !r.jams[name]
			case 2:
				r.deaf[name] = !r.deaf[name]
			case 3:
				list = any() // another roll begins
			case 4:
				r.start(name, any())
			case 5:
				if draw.IntN(4) == 0 && r.elect() {
					r.call(any())
				}
			default:
				r.start(name, list)
			}
			r.settle()
		}

		// The wishes stay as they are. All processes are up and grant, but leaders change.
		clear(r.jams)
		clear(r.deaf)
		for _, name := range all {
			if r.wishes[name] == nil {
				r.start(name, any())
			}
		}
		before := len(r.changes)
		fresh := make(map[string]bool)
		for _, list := range r.wishes {
			if !slices.Contains(r.spent, hashOf(list)) {
				fresh[spaced(list)] = true
			}
		}
		for range 20 {
			r.now += 100 * testLease
			r.leader = ""
			r.settle()
		}
		require.Empty(t, r.old, "seed %d: a change is not finished: %s", seed, r.last.reason)
		require.LessOrEqual(t, len(r.changes)-before, len(fresh)+1, "seed %d: %v", seed, r.changes)
		late += len(r.changes) - before

		list = any()
		for _, name := range all {
			r.start(name, list)
			r.settle()
		}
		r.now += 100 * testLease
		r.settle()
		if !r.called || slices.Equal(r.new, names(list)) {
			require.Equal(t, names(list), r.new, "seed %d: %v: %s", seed, r.changes, r.last.reason)
			require.False(t, r.called)
		}
		require.Empty(t, r.old)
		changes, returns, taken = changes+len(r.changes), returns+r.returns, taken+r.taken
	}
	for what, n := range map[string]int{"returns": returns, "taken back": taken, "after the restarts": late} {
		require.NotZero(t, n, what)
	}
}
