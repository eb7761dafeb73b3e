package bully_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/lab/sim"
)

// single is one process, step by step, among others that are not there.
type single struct {
	alg  *election.Algorithm
	view table
	node election.Node
	env  *election.Env
}

// amid makes the process 3 among 1..5, unless other Ranks are given, and gives it its first event.
func amid(alg *election.Algorithm, view ...election.Rank) *single {
	if view == nil {
		view = table{{ID: 3}, {ID: 1}, {ID: 2}, {ID: 4}, {ID: 5}}
	}
	p := &single{alg: alg, view: view, env: election.NewEnv(table(view), nil)}
	p.node = alg.New(election.Setup{Self: view[0], Ports: len(view) - 1})
	p.step(election.Event{Op: election.Init})
	return p
}

var timers = []string{"alive", "coordinator", "beat", "watch"}

// step takes an event, and returns in words what it causes: 4:alive/7 is ALIVE to 4 in Term 7; the Value
// follows a point where it is not zero, and an exclamation mark is a Flag; + and - are timers, with their
// units.
func (p *single) step(ev election.Event) string {
	fx := p.env.Begin(0)
	p.node.Step(p.env, &ev)
	var words []string
	if fx.Saved() {
		words = append(words, "save")
	}
	for _, out := range fx.Sends {
		words = append(words, fmt.Sprintf("%d:%s", p.view[out.Port+1].ID, p.words(&out.Msg)))
	}
	for _, change := range fx.Timers {
		name := timers[change.Timer]
		if change.Stop {
			words = append(words, "-"+name)
		} else {
			words = append(words, fmt.Sprintf("+%s%d", name, change.Max/sim.Unit))
		}
	}
	if o := fx.Outcome; fx.Decided() {
		words = append(words, fmt.Sprintf("%v(%d)/%d", o.Role, o.Leader.ID, o.Term))
	}
	if fx.Ended() {
		words = append(words, "done")
	}
	if fx.Err != nil {
		words = append(words, "refused")
	}
	return strings.Join(words, " ")
}

// restart makes a new Node from the state of the old one, and delivers its first event.
func (p *single) restart(t *testing.T) string {
	t.Helper()
	state := new(election.State).Append(nil, p.node)
	p.node = p.alg.New(election.Setup{Self: p.view[0], Ports: len(p.view) - 1})
	require.NoError(t, new(election.State).Restore(p.node, state))
	return p.step(election.Event{Op: election.Init})
}

func (p *single) words(m *election.Message) string {
	name := "catchup"
	if m.Kind != election.CatchUp {
		name = p.alg.Kinds[m.Kind-1].Name
	}
	s := fmt.Sprintf("%s/%d", name, m.Term)
	if m.Value != 0 {
		s += fmt.Sprintf(".%d", m.Value)
	}
	if m.Rank != p.view[0] {
		s += fmt.Sprintf("(%d)", m.Rank.ID)
	}
	return s + strings.Repeat("!", int(m.Flags))
}

// written is a message as step writes it: 5:up/7.6(4)! comes from 5, in Term 7 with the Value 6, about 4 and
// with a Flag.
var written = regexp.MustCompile(`^(\d+):(\w+)/(\d+)(?:\.(\d+))?(?:\((\d+)\))?(!?)$`)

// event reads an event: start, rejoin, suspect 5, trust 5, a timer, or a message.
func (p *single) event(t *testing.T, s string) election.Event {
	t.Helper()
	if i := slices.Index(timers, s); i >= 0 {
		return election.Event{Op: election.Timeout, Timer: uint8(i)}
	}
	if op, ok := map[string]election.Op{"start": election.Start, "rejoin": election.Rejoin}[s]; ok {
		return election.Event{Op: op}
	}
	what, id, _ := strings.Cut(s, " ")
	if op, ok := map[string]election.Op{"suspect": election.Suspect, "trust": election.Trust}[what]; ok {
		return election.Event{Op: op, Port: election.Port(p.place(id) - 1)}
	}
	parts := written.FindStringSubmatch(s)
	require.NotNil(t, parts, s)
	from := p.place(parts[1])
	m := election.Message{Rank: p.view[from], Flags: uint8(len(parts[6]))}
	m.Term, _ = strconv.ParseUint(parts[3], 10, 64)
	m.Value, _ = strconv.ParseUint("0"+parts[4], 10, 64)
	if parts[5] == "0" {
		m.Rank = election.Rank{}
	} else if parts[5] != "" {
		m.Rank = p.view[p.place(parts[5])]
	}
	if parts[2] != "catchup" {
		i := slices.IndexFunc(p.alg.Kinds, func(k election.Kind) bool { return k.Name == parts[2] })
		require.GreaterOrEqual(t, i, 0, s)
		m.Kind = uint8(i + 1)
	}
	return election.Event{Op: election.Recv, Port: election.Port(from - 1), Msg: m}
}

// place returns where a process stands in the table.
func (p *single) place(id string) int {
	return slices.IndexFunc(p.view, func(r election.Rank) bool { return fmt.Sprint(uint64(r.ID)) == id })
}

// steps are events, and what the last of them causes.
type steps struct {
	name   string
	events []string
	want   string
}

// requireSteps tries each on a process of its own.
func requireSteps(t *testing.T, all []steps, alg *election.Algorithm, view ...election.Rank) {
	t.Helper()
	for _, c := range all {
		p := amid(alg, view...)
		got := ""
		for _, ev := range c.events {
			if ev == "restart" {
				got = p.restart(t)
			} else {
				got = p.step(p.event(t, ev))
			}
		}
		require.Equal(t, c.want, got, c.name)
	}
}

func given(events ...string) []string { return events }

// TestRulesStepByStep: what every event causes at 3 among 1..5, by the six rules.
func TestRulesStepByStep(t *testing.T) {
	alg := rules(t, bully.Config{Heartbeat: 2 * sim.Unit})
	requireSteps(t, []steps{
		{"rule 1: all that are larger are asked", given("start"), "save 4:election/1 5:election/1 -beat -watch +alive3 undecided(0)/1"},
		{"rule 1: once", given("start", "start"), ""},
		{"rule 1: the leader is suspected", given("5:coordinator/7", "suspect 5"), "save 4:election/8 -beat -watch +alive3 undecided(0)/8"},
		{"rule 1: another is suspected", given("5:coordinator/7", "suspect 4"), ""},
		{"rule 1: back from a crash", given("start", "4:alive/1", "restart", "rejoin"), "save 4:election/2 5:election/2 -beat -watch +alive3 undecided(0)/2"},
		{"rule 1: no heartbeat", given("5:coordinator/7", "watch"), "save 4:election/8 5:election/8 -beat -watch +alive3 undecided(0)/8"},
		{"rule 2: alive, and an election, in the Term of the asker", given("1:election/7"), "save 1:alive/7 4:election/7 5:election/7 -beat -watch +alive3 undecided(0)/7"},
		{"rule 2: alive, in one's own Term", given("5:coordinator/7", "1:election/3"), "save 1:alive/7 4:election/8 5:election/8 -beat -watch +alive3 undecided(0)/8"},
		{"rule 2: electing, goes on with the larger Term", given("start", "1:election/7"), "save 1:alive/7"},
		{"rule 2: electing, an earlier Term", given("5:coordinator/7", "start", "1:election/3"), "1:alive/8"},
		{"rule 2: in office, in the Term of the asker", given("start", "alive", "1:election/2"), "save 1:alive/2 1:coordinator/2! leader(3)/2"},
		{"rule 2: in office, in its own Term", given("start", "alive", "1:election/1"),
			"1:alive/1 1:coordinator/1!"},
		{"rule 2: not by a larger process", given("5:election/7"), ""},
		{"rule 3: no answer", given("start", "alive"), "save 1:coordinator/1 2:coordinator/1 4:coordinator/1 5:coordinator/1 -alive -coordinator +beat2 leader(3)/1 done"},
		{"rule 4: an answer", given("start", "4:alive/1"), "-alive +coordinator6"},
		{"rule 4: an answer in a later Term", given("start", "4:alive/5"), "save -alive +coordinator6"},
		{"rule 4: a second answer", given("start", "4:alive/1", "5:alive/1"), ""},
		{"rule 4: an answer to an earlier election", given("start", "4:alive/1", "coordinator", "4:alive/1"), ""},
		{"rule 4: an answer when all is over", given("5:coordinator/7", "4:alive/7"), ""},
		{"rule 4: no coordinator", given("start", "4:alive/1", "coordinator"), "save 4:election/2 5:election/2 -beat -watch +alive3 undecided(0)/2"},
		{"rule 6: a larger one, while electing", given("start", "5:coordinator/1"), "save -alive -coordinator -beat +watch4 follower(5)/1 done"},
		{"rule 6: a larger one that is behind", given("start", "1:election/7", "5:coordinator/1"), "save 5:catchup/7(5) -alive -coordinator -beat +watch4 follower(5)/7 done"},
		{"rule 6: a claim older than the election", given("5:coordinator/7", "start", "5:coordinator/7"), "5:election/8 -alive +coordinator6"},
		{"rule 6: a smaller one", given("2:coordinator/7"), "save 4:election/7 5:election/7 -beat -watch +alive3 undecided(0)/7"},
		{"rule 6: a smaller one, while electing", given("start", "2:coordinator/7"), ""},
		{"rule 6: its own", given("start", "alive", "5:coordinator/7(3)"), ""},
		{"rule 6: a later Term", given("5:coordinator/7", "4:coordinator/8"), "save -alive -coordinator -beat +watch4 follower(4)/8 done"},
		{"rule 6: the same again", given("5:coordinator/7", "5:coordinator/7"), "save -alive -coordinator -beat +watch4 follower(5)/7 done"},
		{"rule 6: the same Term, less than the leader", given("5:coordinator/7", "4:coordinator/7"), "4:catchup/7(5)"},
		{"rule 6: the same Term, larger than the leader", given("4:coordinator/7", "5:coordinator/7"), "save -alive -coordinator -beat +watch4 follower(5)/7 done"},
		{"rule 6: an earlier Term", given("4:coordinator/7", "5:coordinator/6"), "5:catchup/7(4)"},
		{"heartbeat of the leader", given("5:coordinator/7", "5:heartbeat/7"), "+watch4"},
		{"heartbeat of the leader, which is behind", given("5:coordinator/7", "5:heartbeat/6"), "5:catchup/7(5) +watch4"},
		{"heartbeat of the leader in a later Term", given("5:coordinator/7", "5:heartbeat/8"), "save -alive -coordinator -beat +watch4 follower(5)/8 done"},
		{"heartbeat of another", given("5:coordinator/7", "4:heartbeat/8"), "save -alive -coordinator -beat +watch4 follower(4)/8 done"},
		{"heartbeat of a lesser one, that is smaller", given("5:coordinator/7", "2:heartbeat/7"), ""},
		{"heartbeat of a smaller one in a later Term", given("5:coordinator/7", "2:heartbeat/8"), "save 4:election/8 5:election/8 -beat -watch +alive3 undecided(0)/8"},
		{"heartbeat of its own", given("start", "alive", "beat"), "1:heartbeat/1 2:heartbeat/1 4:heartbeat/1 5:heartbeat/1 +beat2"},
		{"caught up, but does not lead", given("5:coordinator/7", "4:catchup/9(4)"), ""},
		{"caught up: a smaller one in a later Term is outdone", given("start", "alive", "1:catchup/7(2)"), "save 1:coordinator/7 2:coordinator/7 4:coordinator/7 5:coordinator/7 leader(3)/7"},
		{"caught up: a smaller one in the same Term", given("start", "alive", "1:catchup/1(2)"), "1:coordinator/1!"},
		{"caught up: all must hear", given("start", "alive", "1:catchup/1(2)!"), "1:coordinator/1 2:coordinator/1 4:coordinator/1 5:coordinator/1"},
		{"caught up: a larger one", given("start", "alive", "1:catchup/7(5)"), "save 4:election/8 5:election/8 -beat -watch +alive3 undecided(0)/8"},
		{"caught up: at the end of Terms", given("start", "alive", "1:catchup/18446744073709551615(5)"),
			"refused"},
		{"in office, asked in a much later Term: all must hear", given("start", "alive", "1:election/7"), "save 1:alive/7 1:coordinator/7 2:coordinator/7 4:coordinator/7 5:coordinator/7 leader(3)/7"},
		{"in office, once all have heard", given("start", "alive", "1:election/7", "2:election/8"), "save 2:alive/8 2:coordinator/8! leader(3)/8"},
		{"in office, asked in one Term after another", given("start", "alive", "1:election/2", "1:election/3"), "save 1:alive/3 1:coordinator/3 2:coordinator/3 4:coordinator/3 5:coordinator/3 leader(3)/3"},
		{"from office to a follower: former followers must hear", given("start", "alive", "5:coordinator/7!"), "save 5:catchup/7! -alive -coordinator -beat +watch4 follower(5)/7 done"},
		{"from office to a follower, and all hear", given("start", "alive", "5:coordinator/7"), "save -alive -coordinator -beat +watch4 follower(5)/7 done"},
		{"a follower only", given("4:coordinator/7", "5:coordinator/8!"), "save -alive -coordinator -beat +watch4 follower(5)/8 done"},
		{"a follower again", given("start", "alive", "4:coordinator/7!", "5:coordinator/8!"), "save -alive -coordinator -beat +watch4 follower(5)/8 done"},
	}, alg)
}

// TestSuspected: a process that is suspected or gone is neither asked nor waited for, until it is trusted,
// joins, or is heard.
func TestSuspected(t *testing.T) {
	const wins = "1:coordinator/%d 2:coordinator/%[1]d 4:coordinator/%[1]d 5:coordinator/%[1]d "
	first, eighth := fmt.Sprintf(wins, 1), fmt.Sprintf(wins, 8)
	const stops, leads = "-beat -watch ", "-alive -coordinator +beat2 leader(3)/"
	requireSteps(t, []steps{
		{"not asked", given("suspect 5", "start"), "save 4:election/1 " + stops + "+alive3 undecided(0)/1"},
		{"gone: not asked", given("suspect 4", "start"),
			"save 5:election/1 " + stops + "+alive3 undecided(0)/1"},
		{"no larger one is up", given("suspect 4", "suspect 5", "start"),
			"save " + first + stops + leads + "1 done"},
		{"the leader is the last", given("5:coordinator/7", "suspect 4", "suspect 5"),
			"save " + eighth + stops + leads + "8 done"},
		{"a smaller one counts for nothing", given("start", "suspect 1"), ""},
		{"not waited for", given("start", "suspect 5"), ""},
		{"none is waited for", given("start", "suspect 5", "suspect 4"), "save " + first + leads + "1 done"},
		{"none is waited for, though one has answered", given("start", "4:alive/1", "suspect 5", "suspect 4"), "save " + first + leads + "1 done"},
		{"trusted: asked", given("suspect 5", "trust 5", "start"),
			"save 4:election/1 5:election/1 " + stops + "+alive3 undecided(0)/1"},
		{"trusted: asked at once", given("suspect 5", "start", "trust 5"), "5:election/1 +alive3"},
		{"trusted: asked at once, and one has answered", given("suspect 5", "start", "4:alive/1", "trust 5"), "5:election/1"},
		{"trusted, but was not suspected", given("start", "trust 5"), ""},
		{"trusted, a smaller one", given("suspect 1", "start", "trust 1"), ""},
		{"trusted, and no election is under way", given("suspect 5", "trust 5"), ""},
		{"heard: asked", given("suspect 5", "5:election/1", "start"),
			"save 4:election/1 5:election/1 " + stops + "+alive3 undecided(0)/1"},
		{"heard by a heartbeat: asked", given("suspect 5", "5:heartbeat/1", "start"),
			"save 4:election/2 5:election/2 " + stops + "+alive3 undecided(0)/2"},
	}, rules(t, bully.Config{Heartbeat: 2 * sim.Unit}))
}

// TestRestartForgets: which processes have asked and answered before a crash leaves no trace in the state.
func TestRestartForgets(t *testing.T) {
	after := func(events ...string) []byte {
		p := amid(halting(t, bully.Config{}))
		for _, ev := range append(given("start", "alive", "alive"), events...) {
			p.step(p.event(t, ev))
		}
		p.restart(t)
		return new(election.State).Append(nil, p.node)
	}
	for _, ev := range []string{"1:areyouup/1.1", "1:halted/1.1", "suspect 1"} {
		require.Equal(t, after(), after(ev), ev)
	}
}

// TestRestored: a process that has come back with its state begins an election when it is asked to, or hears
// of the leader, whatever was in progress before. None of its timers run.
func TestRestored(t *testing.T) {
	const elects = "save 4:election/2 5:election/2 -beat -watch +alive3 undecided(0)/2"
	requireSteps(t, []steps{
		{"electing", given("start", "restart", "start"), elects},
		{"electing, anybody is suspected", given("start", "restart", "suspect 1"), elects},
		{"electing, no heartbeat", given("start", "restart", "watch"), elects},
		{"answered", given("start", "4:alive/1", "restart", "start"), elects},
		{"leads", given("start", "alive", "restart", "start"), elects},
		{"leads, is asked", given("start", "alive", "restart", "1:election/1"),
			"save 1:alive/1 " + elects[5:]},
		{"follows", given("5:coordinator/1", "restart", "start"), elects},
		{"follows, anybody is suspected", given("5:coordinator/1", "restart", "suspect 1"), elects},
		{"another was suspected before", given("5:coordinator/1", "suspect 4", "restart", "start"), elects},
		{"follows, hears it", given("5:coordinator/1", "restart", "5:heartbeat/1"), "save -alive -coordinator -beat +watch4 follower(5)/1 done"},
		{"watches", given("start", "restart"), "+watch4"},
		{"nothing has happened before", given("restart", "suspect 5"), ""},
	}, rules(t, bully.Config{Heartbeat: 2 * sim.Unit}))
	const asks = "save 4:areyouup/%d.%[1]d -alive -coordinator -beat -watch +alive3 undecided(0)/%[1]d"
	second, eighth := fmt.Sprintf(asks, 2), fmt.Sprintf(asks, 8)
	requireSteps(t, []steps{
		{"asking", given("start", "restart", "start"), second},
		{"asking, anybody is suspected", given("start", "restart", "suspect 1"), second},
		{"asking, no heartbeat", given("start", "restart", "watch"), second},
		{"asking, an answer", given("start", "restart", "4:up/1.1(0)"), ""},
		{"referring", given("start", "4:up/1.1(5)", "restart", "start"), second},
		{"halting", given("start", "alive", "alive", "1:areyouup/1.1", "restart", "start"), second},
		{"leads", given("start", "alive", "alive", "alive", "restart", "start"), second},
		{"leads, is asked", given("start", "alive", "alive", "alive", "restart", "1:areyouup/1.1"),
			"1:up/1.1(0)"},
		{"halted", given("5:halt/7.7", "restart", "start"), eighth},
		{"reorganizing", given("5:halt/7.7", "5:newcoordinator/7.7", "restart", "start"), eighth},
		{"follows", follows("restart", "start"), eighth},
		{"follows, hears it", follows("restart", "5:heartbeat/7"), "5:areyouup/7.7"},
		{"watches", given("start", "restart"), "+watch4"},
	}, halting(t, bully.Config{Heartbeat: 2 * sim.Unit}))
}

// TestLeaderOfTheSmallestID: whatever its ID, a leader counts.
func TestLeaderOfTheSmallestID(t *testing.T) {
	alg := rules(t, bully.Config{Heartbeat: 2 * sim.Unit})
	requireSteps(t, []steps{
		{"heartbeat of a lesser one", given("1:coordinator/7", "2:heartbeat/7"), ""},
		{"suspected", given("1:coordinator/7", "suspect 1"), "save 1:coordinator/8 2:coordinator/8 -beat -watch -alive -coordinator +beat2 leader(3)/8 done"},
	}, alg, election.Rank{ID: 3, Priority: 5}, election.Rank{ID: 1, Priority: 9}, election.Rank{ID: 2})
}

// TestLowerOnly: a winner announces itself to those that are smaller.
func TestLowerOnly(t *testing.T) {
	alg := rules(t, bully.Config{AnnounceLower: true})
	requireSteps(t, []steps{
		{"wins", given("start", "alive"), "save 1:coordinator/1 2:coordinator/1 -alive -coordinator leader(3)/1 done"},
		{"all must hear", given("start", "alive", "1:catchup/7(2)"), "save 1:coordinator/7 2:coordinator/7 leader(3)/7"},
	}, alg)
}

// TestShortestHeartbeat: a nanosecond is a heartbeat too.
func TestShortestHeartbeat(t *testing.T) {
	requireSteps(t, []steps{
		{"rules: leads", given("start", "alive"), "save 1:coordinator/1 2:coordinator/1 4:coordinator/1 5:coordinator/1 -alive -coordinator +beat0 leader(3)/1 done"},
		{"rules: follows", given("5:coordinator/7"), "save -alive -coordinator -beat +watch0 follower(5)/7 done"},
	}, rules(t, bully.Config{Delay: 99, Heartbeat: 1}))
	requireSteps(t, []steps{
		{"halting: leads", given("start", "alive", "alive", "alive"), "save -alive -alive +beat0 -alive leader(3)/1 done"},
		{"halting: follows", given("5:halt/7.7", "5:newcoordinator/7.7", "5:ready/7.7"), "save 5:done/7.7 -alive -coordinator -beat -watch +watch0 follower(5)/7 done"},
	}, halting(t, bully.Config{Delay: 99, Heartbeat: 1}))
}

// follows is what makes 3 a follower of 5, in the original order, and then more.
func follows(more ...string) []string {
	return append(given("5:halt/7.7", "5:newcoordinator/7.7", "5:ready/7.7"), more...)
}

// TestHaltingStepByStep: what every event causes at 3 among 1..5 below a larger process, in the
// original order.
func TestHaltingStepByStep(t *testing.T) {
	alg := halting(t, bully.Config{Heartbeat: 2 * sim.Unit})
	idle := func(more ...string) []string { return append(given("start", "4:up/1.1(0)"), more...) }
	requireSteps(t, []steps{
		{"the next larger one is asked", given("start"), "save 4:areyouup/1.1 -alive -coordinator -beat -watch +alive3 undecided(0)/1"},
		{"then the next", given("start", "alive"), "5:areyouup/1.1 -alive +alive3"},
		{"once", given("start", "start"), ""},
		{"a larger one is up", idle(), "save -alive -coordinator -beat -watch +watch4"},
		{"a larger one is up, and follows a larger one", given("start", "4:up/1.1(5)"), "5:areyouup/1.1 +alive3"},
		{"refers, and follows itself", given("start", "4:up/1.1(4)"), "save -alive -coordinator -beat -watch +watch4"},
		{"refers to a smaller one", given("start", "4:up/1.1(2)"), "save -alive -coordinator -beat -watch +watch4"},
		{"the coordinator in office answers", given("start", "4:up/1.1(5)", "5:up/1.1(5)"), "save -alive -coordinator -beat -watch +watch4"},
		{"the coordinator in office does not", given("start", "4:up/1.1(5)", "alive"), "save -alive -alive -coordinator -beat -watch +watch4"},
		{"an answer of a later Term", given("start", "4:up/5.1(0)"), "save -alive -coordinator -beat -watch +watch4"},
		{"an answer to another question", given("start", "4:up/1.5(0)"), ""},
		{"idle: started", idle("start"), "save 4:areyouup/2.2 -alive -coordinator -beat -watch +alive3 undecided(0)/2"},
		{"idle: anybody is suspected", idle("suspect 1"), "save 4:areyouup/2.2 -alive -coordinator -beat -watch +alive3 undecided(0)/2"},
		{"idle: no heartbeat", idle("watch"), "save 4:areyouup/2.2 -alive -coordinator -beat -watch +alive3 undecided(0)/2"},
		{"idle: a heartbeat", idle("5:heartbeat/7"), "5:areyouup/1.1"},
		{"asks: suspected", given("start", "suspect 4"), "5:areyouup/1.1 -alive +alive3"},
		{"asks: another is suspected", given("start", "suspect 5", "alive"),
			"1:halt/1.1 2:halt/1.1 -alive +alive3"},
		{"suspected: not asked", given("suspect 4", "start"), "save 5:areyouup/1.1 -alive -coordinator -beat -watch +alive3 undecided(0)/1"},
		{"trusted: asked", given("suspect 4", "trust 4", "start"), "save 4:areyouup/1.1 -alive -coordinator -beat -watch +alive3 undecided(0)/1"},
		{"heard: asked", given("suspect 4", "4:heartbeat/1", "start"), "save 4:areyouup/1.1 -alive -coordinator -beat -watch +alive3 undecided(0)/1"},
		{"suspected before a crash: asked", given("start", "suspect 4", "restart", "start"), "save 4:areyouup/2.2 -alive -coordinator -beat -watch +alive3 undecided(0)/2"},
		{"refers: suspected", given("start", "4:up/1.1(5)", "suspect 5"), "save -alive -alive -coordinator -beat -watch +watch4"},
		{"refers to one that is suspected", given("suspect 5", "start", "4:up/1.1(5)"), "save -alive -coordinator -beat -watch +watch4"},
		{"follows: the leader is suspected", follows("suspect 5"), "save 4:areyouup/8.8 -alive -coordinator -beat -watch +alive3 undecided(0)/8"},
		{"follows: another is suspected", follows("suspect 4"), ""},
		{"halted: the halting process is suspected", given("5:halt/7.7", "suspect 5"), "save 4:areyouup/8.8 -alive -coordinator -beat -watch +alive3 undecided(0)/8"},
		{"halted: another is suspected", given("5:halt/7.7", "suspect 4"), ""},
		{"reorganizing: the halting process is suspected", given("5:halt/7.7", "5:newcoordinator/7.7", "suspect 5"), "save 4:areyouup/8.8 -alive -coordinator -beat -watch +alive3 undecided(0)/8"},
		{"reorganizing: another is suspected", given("5:halt/7.7", "5:newcoordinator/7.7", "suspect 4"), ""},
		{"back from a crash", follows("restart", "rejoin"), "save 4:areyouup/8.8 -alive -coordinator -beat -watch +alive3 undecided(0)/8"},
		{"halted", given("5:halt/7.7"), "save 5:halted/7.7 -alive -coordinator -beat -watch +coordinator6 undecided(0)/7"},
		{"halted while it elects", given("start", "5:halt/7.7"), "save 5:halted/7.7 -alive -coordinator -beat -watch +coordinator6 undecided(0)/7"},
		{"halted by a smaller one", given("2:halt/7.7"), ""},
		{"halted, and nothing more", given("5:halt/7.7", "coordinator"), "save 4:areyouup/8.8 -alive -coordinator -beat -watch +alive3 undecided(0)/8"},
		{"a new coordinator", given("5:halt/7.7", "5:newcoordinator/7.7"), "5:accepted/7.7 +coordinator6"},
		{"a new coordinator, of another election", given("5:halt/7.7", "5:newcoordinator/7.6"), ""},
		{"a new coordinator that has not halted", given("5:halt/7.7", "4:newcoordinator/7.7"), ""},
		{"ready too early", given("5:halt/7.7", "5:ready/7.7"), ""},
		{"ready", follows(), "save 5:done/7.7 -alive -coordinator -beat -watch +watch4 follower(5)/7 done"},
		{"ready, of another election", given("5:halt/7.7", "5:newcoordinator/7.7", "5:ready/7.6"), ""},
		{"follows: is asked", follows("1:areyouup/5.5"), "1:up/7.5(5)"},
		{"follows: is asked in a later Term", follows("1:areyouup/9.9"), "save 1:up/9.9(5)"},
		{"idle: is asked", idle("1:areyouup/1.1"), "1:up/1.1(4)"},
		{"halted: is asked", given("5:halt/7.7", "1:areyouup/1.1"), "1:up/7.1(5)"},
		{"reorganizing: is asked", given("5:halt/7.7", "5:newcoordinator/7.7", "1:areyouup/1.1"),
			"1:up/7.1(5)"},
		{"asks: is asked", given("start", "1:areyouup/5.5"), "save 1:up/5.5(0)"},
		{"follows: the leader's heartbeat", follows("5:heartbeat/7.7"), "+watch4"},
		{"follows: the heartbeat of a smaller one", follows("4:heartbeat/7.7"), ""},
		{"follows: caught up, which is no answer", follows("4:catchup/7.7"), ""},
		{"halted: a heartbeat", given("4:halt/7.7", "5:heartbeat/7.7"), ""},
	}, alg)
}

// TestHaltingLeads: what every event causes at 3 among 1..5 once no larger process has answered, in the
// original order.
func TestHaltingLeads(t *testing.T) {
	elects := func(more ...string) []string { return append(given("start", "alive", "alive"), more...) }
	leads := func(more ...string) []string {
		return elects(append(given("1:halted/1.1", "2:halted/1.1", "1:accepted/1.1", "2:accepted/1.1",
			"1:done/1.1", "2:done/1.1"), more...)...)
	}
	requireSteps(t, []steps{
		{"the smaller ones are halted", elects(), "1:halt/1.1 2:halt/1.1 -alive +alive3"},
		{"halting: one has", elects("1:halted/1.1"), ""},
		{"halting: one has twice", elects("1:halted/1.1", "1:halted/1.1"), ""},
		{"halting: all have", elects("1:halted/1.1", "2:halted/1.1"), "1:newcoordinator/1.1 2:newcoordinator/1.1 -alive +alive3"},
		{"halting: some have", elects("1:halted/1.1", "alive"), "1:newcoordinator/1.1 -alive +alive3"},
		{"halting: one is suspected before", append(given("suspect 1"), elects()...),
			"1:halt/1.1 2:halt/1.1 -alive +alive3"},
		{"halting: one is suspected before, and not waited for", append(given("suspect 1"), elects("2:halted/1.1")...), "2:newcoordinator/1.1 -alive +alive3"},
		{"halting: one is suspected before, and has all the same", append(given("suspect 1"), elects("1:halted/1.1", "2:halted/1.1")...), "1:newcoordinator/1.1 2:newcoordinator/1.1 -alive +alive3"},
		{"halting: one is suspected", elects("1:halted/1.1", "suspect 2"),
			"1:newcoordinator/1.1 -alive +alive3"},
		{"halting: one that has is suspected", elects("1:halted/1.1", "suspect 1"), ""},
		{"halting: one that has is suspected, and not announced to", elects("1:halted/1.1", "suspect 1", "2:halted/1.1"), "2:newcoordinator/1.1 -alive +alive3"},
		{"announcing: one is suspected", elects("1:halted/1.1", "2:halted/1.1", "1:accepted/1.1", "suspect 2"), "save 4:areyouup/2.2 -alive -coordinator -beat -watch +alive3 undecided(0)/2"},
		{"announcing: one that has is suspected", elects("1:halted/1.1", "2:halted/1.1", "1:accepted/1.1", "suspect 1"), ""},
		{"readying: one is suspected", elects("1:halted/1.1", "alive", "1:accepted/1.1", "suspect 1"), "save 4:areyouup/2.2 -alive -coordinator -beat -watch +alive3 undecided(0)/2"},
		{"halting: none has", elects("alive"), "save -alive -alive +beat2 -alive leader(3)/1 done"},
		{"announcing: some have", elects("1:halted/1.1", "2:halted/1.1", "1:accepted/1.1", "alive"), "save 4:areyouup/2.2 -alive -alive -coordinator -beat -watch +alive3 undecided(0)/2"},
		{"announcing: all have", elects("1:halted/1.1", "2:halted/1.1", "1:accepted/1.1", "2:accepted/1.1"), "1:ready/1.1 2:ready/1.1 -alive +beat2 +alive3"},
		{"readying: beats", elects("1:halted/1.1", "2:halted/1.1", "1:accepted/1.1", "2:accepted/1.1", "beat"), "1:heartbeat/1.1 2:heartbeat/1.1 +beat2"},
		{"leads", leads(), "save -alive leader(3)/1 done"},
		{"leads: beats", leads("beat"), "1:heartbeat/1.1 2:heartbeat/1.1 +beat2"},
		{"leads: is asked, and holds another", leads("1:areyouup/5.5"), "save 1:up/5.5 4:areyouup/6.6 -alive -coordinator -beat -watch +alive3 undecided(0)/6"},
		{"about to lead: is asked, and holds another", elects("1:areyouup/5.5", "alive"), "save 4:areyouup/6.6 -alive -alive +beat2 -alive -alive -coordinator -beat -watch +alive3 undecided(0)/6"},
		{"about to lead: is asked by one that halts then", elects("1:areyouup/5.5", "1:halted/6.1", "alive", "1:accepted/6.1", "1:done/6.1"), "save -alive leader(3)/6 done"},
		{"about to lead: is asked by one that has halted", elects("1:halted/1.1", "1:areyouup/5.5", "alive", "alive"), "save 4:areyouup/6.6 -alive -alive -coordinator -beat -watch +alive3 undecided(0)/6"},
		{"about to lead: is asked by one that accepts then", elects("1:halted/1.1", "alive", "1:areyouup/5.5", "1:accepted/6.1", "1:done/6.1"), "save -alive leader(3)/6 done"},
		{"about to lead: is asked by one that is ready", elects("1:halted/1.1", "alive", "1:accepted/1.1", "1:areyouup/5.5", "1:done/6.1"), "save 4:areyouup/7.7 -alive -alive -coordinator -beat -watch +alive3 undecided(0)/7"},
		{"about to lead: is asked by one that is done", elects("1:halted/1.1", "2:halted/1.1", "1:accepted/1.1", "2:accepted/1.1", "1:done/1.1", "1:areyouup/5.5", "2:done/6.1"), "save 4:areyouup/7.7 -alive -alive -coordinator -beat -watch +alive3 undecided(0)/7"},
		{"about to lead: is asked, and holds another in the end", elects("2:areyouup/5.5", "1:halted/1.1", "alive", "1:accepted/1.1", "1:done/1.1"), "save 4:areyouup/6.6 -alive -alive -coordinator -beat -watch +alive3 undecided(0)/6"},
		{"leads: the heartbeat of a larger one", leads("5:heartbeat/7.7"), "5:areyouup/1.1"},
	}, halting(t, bully.Config{Heartbeat: 2 * sim.Unit}))
}
