package elector_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
)

// roll changes the members of a group by restarting processes with other lists.
type roll struct {
	change string // see rollChanges
	order  string // see rollOrders
	dirs   string // see rollDirs
	fault  rollFault
	seed   uint64
	still  bool // the same restarts, with the list that the members have
}

// rollChanges are the lists, one after another, each as letters. A process with a capital letter takes the place of
// the one with the small letter, which is stopped then.
var rollChanges = map[string][]string{
	"3 to 5":               {"abc", "abcde"},
	"5 to 3":               {"abcde", "abc"},
	"1 to 2":               {"a", "ab"},
	"2 to 1":               {"ab", "a"},
	"replace two of three": {"abc", "ade"},
	"none":                 {"abc", "abc"},
	"replace all":          {"abc", "bcd", "cde", "def"},
	"rename":               {"abc", "Abc"},
}

// rollOrders are the orders in which processes are started and restarted. After those that end with "ready", the next
// one follows when the last is healthy.
var rollOrders = map[string]string{
	"up":      "joiners, then the others from the last to the first, each when the one before is ready",
	"down":    "all but the joiners from the last to the first, then the joiners, each when the one before is ready",
	"apply":   "as up, but the leavers are stopped first",
	"reverse": "as down, from the first to the last",
	"random":  "any order, and pauses of up to 3 s",
	"once":    "all at the same time",
}

var rollDirs = []string{"Dir", "no Dir", "one Dir lost"}

// rollFault is a fault that happens once. A process that moves is killed, and comes back at another address, which is in
// no list but its own.
type rollFault struct {
	what  string // none, part, kill, move or back
	who   string // part: letters of the processes that are cut off the others; kill and move: leader, joiner, leaver or a letter
	point string // see rollPoints
}

func (f rollFault) String() string {
	if f.what == "none" || f.what == "back" {
		return f.what
	}
	return f.what + " " + f.who + " " + f.point
}

// rollPoints are the moments during a change at which faults happen: after the first, second ... restart, or just
// before a message leaves. All processes have saved by then what the message depends on.
var rollPoints = []string{"restart 1", "restart 2", "restart 3", "joint saved", "joint sent to one", "joint sent",
	"joint stored", "new saved", "new sent to one", "new sent", "new stored", "hand over"}

func (r roll) String() string {
	return fmt.Sprintf("%s, %s, %s, %v, seed %d", r.change, r.order, r.dirs, r.fault, r.seed)
}

// act is one step of a roll: a process is stopped, or another one is started or restarted.
type act struct{ stop, start string }

// acts returns the steps of a roll from one list to another.
func (r roll) acts(old, next []string, dice *rand.Rand) (acts []act) {
	joiners, leavers := without(next, old), without(old, next)
	stay := slices.Clone(old)
	var renamed []act
	for _, name := range joiners {
		if before := strings.ToLower(name); slices.Contains(leavers, before) {
			renamed = append(renamed, act{before, name})
			stay, joiners = without(stay, []string{before}), without(joiners, []string{name})
		}
	}
	starts := func(names []string) (all []act) {
		for _, name := range names {
			all = append(all, act{start: name})
		}
		return all
	}
	down := slices.Clone(stay)
	slices.Reverse(down)
	switch r.order {
	case "up":
		return slices.Concat(starts(joiners), starts(down), renamed)
	case "down":
		return slices.Concat(starts(down), renamed, starts(joiners))
	case "apply":
		for _, name := range leavers {
			if slices.Contains(stay, name) {
				acts = append(acts, act{stop: name})
			}
		}
		return slices.Concat(acts, starts(joiners), renamed, starts(without(down, leavers)))
	case "reverse":
		return slices.Concat(renamed, starts(stay), starts(joiners))
	}
	acts = slices.Concat(renamed, starts(stay), starts(joiners))
	dice.Shuffle(len(acts), func(i, j int) { acts[i], acts[j] = acts[j], acts[i] })
	return acts
}

// run is a roll in progress.
type run struct {
	roll
	*site
	dice   *rand.Rand
	old    []string
	next   []string
	faults sync.WaitGroup
	hit    bool   // the fault has happened
	waits  bool   // its time has come, but there was no leader: it happens to the next one
	late   bool   // it does not happen any more
	lost   string // whose Dir is deleted
	gone   bool   // a member was stopped for good
	joint  uint64 // label
	sent   map[string]bool
	last   time.Time // of the last restart
}

// rolled is what a roll has measured.
type rolled struct {
	total, longest time.Duration // without a leader, until the first change is agreed
	spans          int           // how often
	agreed         time.Duration // from the last restart until a member has the new members; negative if it has them before
}

// forgets reports whether enough members lose their memory that the group has to be founded again.
func (r roll) forgets() bool { return r.dirs != "Dir" && len(rollChanges[r.change][0]) == 1 }

func (r roll) test(t *testing.T) (out rolled) {
	s := newSite(t)
	x := &run{roll: r, site: s, dice: rand.New(rand.NewPCG(r.seed, 1)), sent: make(map[string]bool)}
	defer s.end()
	s.listed = r.fault.what == "move"
	defer func() {
		if t.Failed() {
			t.Log(s.text.String())
		}
	}()
	lists := rollChanges[r.change]
	x.old, x.next = letters(lists[0]), letters(lists[1])
	x.lost = x.old[x.dice.IntN(len(x.old))]
	for _, name := range x.old {
		x.arrange(name)
		s.start(name, x.old)
	}
	time.Sleep(5*time.Second + time.Duration(x.dice.IntN(200))*time.Millisecond)
	require.Empty(t, x.agreed(x.old, x.old))
	s.mu.Lock()
	s.see = x.watch
	s.mu.Unlock()
	for i := range lists[1:] {
		x.old, x.next = letters(lists[i]), letters(lists[i+1])
		out = x.phase(out)
		if r.still || r.fault.what == "back" || t.Failed() {
			return out
		}
	}
	// A member that has lost its Dir cannot distinguish another one that has lost it, too, from a new member that was
	// cut off until now, and logs an error.
	if r.dirs == "Dir" || r.dirs == "one Dir lost" && r.fault.what == "none" && !r.forgets() {
		require.NotContains(t, s.text.String(), "level=ERROR")
	}
	return out
}

// arrange prepares the Dir of a process.
func (x *run) arrange(name string) {
	if p := x.pod(name); x.dirs != "no Dir" && p.dir == "" {
		p.dir = x.t.TempDir()
	}
}

// phase changes the members from old to next.
func (x *run) phase(out rolled) rolled {
	t := x.t
	wish, next := x.next, x.next
	if x.still {
		wish = x.old
	}
	x.judge.mu.Lock()
	x.total, x.longest, x.spans = 0, 0, 0
	x.judge.mu.Unlock()
	x.await(wish)
	x.gone = false
	acts := x.acts(x.old, next, x.dice)
	done := 0
	for i, a := range acts {
		if x.fault.what == "back" && i == (len(acts)+1)/2 {
			break
		}
		x.do(a, wish, x.order != "once")
		done++
		x.point(fmt.Sprintf("restart %d", i+1))
		x.pause(a.start)
	}
	if x.fault.what == "back" {
		wish = x.old
		x.await(wish)
		back := acts[:done]
		slices.Reverse(back)
		for _, a := range back {
			if a.start != "" && a.stop != "" { // renamed
				a.start, a.stop = a.stop, a.start
			} else if a.stop != "" {
				a.start, a.stop = a.stop, ""
			}
			x.do(a, wish, x.order != "once")
			x.pause(a.start)
		}
	}
	x.site.mu.Lock()
	x.late, x.see = true, nil
	x.site.mu.Unlock()
	restarted := x.last
	x.faults.Wait()
	x.part(nil)
	synctest.Wait()
	all := wish
	if x.still { // some of the members are stopped
		wish = nil
		for _, name := range all {
			if x.pod(name).end != nil {
				wish = append(wish, name)
			}
		}
	}
	began := time.Now()
	// Connections heal, and restarted processes have to wait until their grants have expired.
	for why := x.agreed(wish, all); why != ""; why = x.agreed(wish, all) {
		if time.Since(began) > 20*elector.LAN().Lease {
			t.Errorf("not agreed on %v after %v: %s", wish, time.Since(began), why)
			return out
		}
		time.Sleep(5 * time.Millisecond)
	}
	x.judge.mu.Lock()
	if out.spans == 0 {
		out.total, out.longest, out.spans = x.total, x.longest, x.spans
		out.agreed = x.first.Sub(restarted)
	}
	x.judge.mu.Unlock()
	for _, name := range x.running() {
		if !slices.Contains(all, name) {
			x.halt(name)
		}
	}
	time.Sleep(5 * elector.LAN().Lease)
	require.Empty(t, x.agreed(wish, all), "after the removed ones were stopped")
	require.Empty(t, x.unknown())
	return out
}

// do performs one step.
func (x *run) do(a act, wish []string, wait bool) {
	if x.still && a.stop != "" && a.start != "" {
		a = act{start: a.stop} // it keeps its name
	}
	step := func() {
		if a.stop != "" {
			x.halt(a.stop)
			x.gone = x.gone || !x.still
		}
		if a.start == "" || x.still && !slices.Contains(x.old, a.start) {
			return
		}
		if x.dirs == "one Dir lost" && a.start == x.lost && !x.isShort() {
			x.halt(a.start)
			x.pod(a.start).dir, x.lost = "", ""
		}
		x.arrange(a.start)
		x.start(a.start, wish)
	}
	if wait {
		step()
	} else {
		x.faults.Go(step)
	}
	x.last = time.Now()
}

// isShort reports whether a member was stopped for good while some process still counts it: no other one may lose its
// memory then.
func (x *run) isShort() bool {
	x.judge.mu.Lock()
	defer x.judge.mu.Unlock()
	return x.gone && slices.ContainsFunc(x.next, func(name string) bool { return x.lists[name] != x.wish })
}

// pause waits after a step.
func (x *run) pause(name string) {
	switch x.order {
	case "once":
	case "random":
		time.Sleep(time.Duration(x.dice.IntN(3000)) * time.Millisecond)
	default:
		if name == "" {
			time.Sleep(time.Second)
		} else if x.pod(name).end != nil {
			if text, ok := x.ready(name, 30*time.Second); !ok && !x.forgets() {
				x.t.Errorf("%s is not ready: %s", name, text)
			}
		}
	}
}

// point has the fault happen if this is its time.
func (x *run) point(name string) {
	x.site.mu.Lock()
	defer x.site.mu.Unlock()
	x.pointLocked(name)
}

func (x *run) pointLocked(name string) {
	if x.hit || x.late || x.fault.point != name {
		return
	}
	switch x.fault.what {
	case "part":
		x.hit = true
		x.partLocked(letters(x.fault.who))
		x.faults.Go(func() {
			time.Sleep(4 * time.Second)
			x.part(nil)
			time.Sleep(500 * time.Millisecond)
		})
	case "kill", "move":
		var who []string
		switch x.fault.who {
		case "leader":
			leader := x.leader()
			if x.waits = leader == ""; x.waits {
				return
			}
			who = []string{leader}
		case "joiner":
			who = without(x.next, x.old)
		case "leaver":
			who = without(x.old, x.next)
		default:
			who = letters(x.fault.who)
		}
		for _, name := range who {
			if x.ends[name] != nil {
				x.hit = true
				if x.fault.what == "move" {
					x.pods[name].at++
				}
				x.kill(name, &x.faults)
				return
			}
		}
	}
}

// watch recognizes the steps of the leader by its messages.
func (x *run) watch(from, to string, m *election.Message) {
	if x.waits {
		x.pointLocked(x.fault.point)
	}
	const old = 1 // in MEMBER: the voter belongs to the set before the change
	key := from + " " + to
	switch {
	case m.Kind == kinds["member"] && m.Rank.ID != 0 && m.Flags&old != 0: // joint
		if x.joint != m.Value {
			x.joint = m.Value
			clear(x.sent)
			x.pointLocked("joint saved")
		} else if len(x.sent) == 1 && !x.sent[key] {
			x.pointLocked("joint sent to one")
		}
		x.sent[key] = true
	case m.Kind == kinds["member"] && m.Rank.ID != 0 && x.joint != 0 && m.Value == x.joint+1:
		if x.sent[key] {
			clear(x.sent)
			x.pointLocked("new saved")
		} else if len(x.sent) == 1 && !x.sent["new "+key] {
			x.pointLocked("new sent to one")
		}
		x.sent["new "+key] = true
	case x.joint == 0:
	case m.Kind == kinds["claim"] && uint64(m.Rank.ID) == x.joint:
		x.pointLocked("joint sent")
	case m.Kind == kinds["granted"] && uint64(m.Rank.ID) == x.joint:
		x.pointLocked("joint stored")
	case m.Kind == kinds["claim"] && uint64(m.Rank.ID) == x.joint+1:
		x.pointLocked("new sent")
	case m.Kind == kinds["granted"] && uint64(m.Rank.ID) == x.joint+1:
		x.pointLocked("new stored")
	case m.Kind == kinds["handoff"]:
		x.pointLocked("hand over")
	}
}

// cells returns all rolls.
func cells() (all []roll) {
	for _, change := range slices.Sorted(maps.Keys(rollChanges)) {
		lists := rollChanges[change]
		faults := []rollFault{{what: "none"}, {what: "back"}}
		for _, point := range rollPoints {
			for _, who := range []string{"leader", "joiner", "leaver"} {
				faults = append(faults, rollFault{"kill", who, point}, rollFault{"move", who, point})
			}
			if change == "none" && strings.HasPrefix(point, "restart") {
				for _, name := range letters(lists[0]) {
					faults = append(faults, rollFault{"move", name, point})
				}
			}
			everybody := lists[0] + strings.Join(without(letters(lists[1]), letters(lists[0])), "")
			for i, one := range everybody {
				faults = append(faults, rollFault{"part", string(one), point})
				for _, other := range everybody[i+1:] {
					if len(everybody) > 3 { // otherwise the third is cut off alone
						faults = append(faults, rollFault{"part", string(one) + string(other), point})
					}
				}
			}
		}
		for _, order := range slices.Sorted(maps.Keys(rollOrders)) {
			seeds := 1
			if order == "random" {
				seeds = 3
			}
			for _, dirs := range rollDirs {
				for seed := range seeds {
					for _, fault := range faults {
						r := roll{change: change, order: order, dirs: dirs, fault: fault, seed: uint64(seed)}
						if r.makesSense() {
							all = append(all, r)
						}
					}
				}
			}
		}
	}
	return all
}

// TestRestarts changes the members by restarts in each order, with each fault. Without -long it tries a sample.
func TestRestarts(t *testing.T) {
	for i, r := range cells() {
		usual := r.fault.what == "none" && r.seed == 0 && r.order != "reverse"
		moves := r.order == "down" && (r.fault == rollFault{"move", "leader", "joint sent"} ||
			r.change == "none" && r.fault.point == "restart 1")
		if !*long && !usual && !moves && i%401 != 0 {
			continue
		}
		t.Run(r.String(), func(t *testing.T) {
			t.Parallel()
			var with, still rolled
			synctest.Test(t, func(t *testing.T) { with = r.test(t) })
			if r.fault.what != "none" || r.forgets() || t.Failed() {
				return
			}
			r.still = true
			synctest.Test(t, func(t *testing.T) { still = r.test(t) })
			r.compare(t, with, still)
		})
	}
}

// compare judges a change without faults by the same restarts without a change.
func (r roll) compare(t *testing.T, with, still rolled) {
	times := elector.LAN()
	grant := times.Lease * 1003 / 1000
	slack := 20 * time.Millisecond // a leader that is removed hands over once more
	if still.total > slack {
		slack = times.Lease // without a majority there is no leader, and elections take a random time
	}
	// A process that was restarted is silent until its grants have expired. Without Dir, members that miss a
	// stopped one also wait for Cold. They are healthy meanwhile, so the next one is restarted a second later, and waits
	// as long.
	most := grant + 2*times.Renew + 4*elector.DiskDelay + 10*latency
	if r.dirs != "Dir" && (r.change == "rename" || r.order == "apply") {
		most, slack = most+3*grant, slack+3*grant+1100*time.Millisecond
	}
	require.LessOrEqual(t, with.total, still.total+slack, "without a leader; still: %+v", still)
	require.LessOrEqual(t, with.agreed, most, "after the last restart")
	t.Logf("without a leader: %v, and %v without a change; agreed after %v", with.total, still.total, with.agreed)
}

// makesSense reports whether a group survives the order.
func (r roll) makesSense() bool {
	switch {
	case r.change == "replace two of three" && r.dirs != "Dir" && r.fault.what == "part" && r.fault.who == "bc" &&
		strings.HasPrefix(r.fault.point, "restart"):
		return false // the others have no memory, have one list, and do not hear of the group: they found a second one
	case r.change == "none" && (r.fault.what != "move" || !strings.HasPrefix(r.fault.point, "restart")),
		r.change == "none" && (r.fault.who == "joiner" || r.fault.who == "leaver"):
		return false
	}
	return r.order != "apply" || r.change == "5 to 3" && r.dirs != "one Dir lost"
}
