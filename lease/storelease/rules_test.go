package storelease_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/lease/storelease"
)

// view is what a process knows about the others, each behind its port.
type view []election.Rank

func (v view) Self(int) election.Rank                    { return v[0] }
func (v view) Ports(int) int                             { return len(v) - 1 }
func (v view) Peer(_ int, p election.Port) election.Rank { return v[p+1] }

// single is one process, step by step.
type single struct {
	alg  *election.Algorithm
	view view
	node election.Node
	env  *election.Env
	now  time.Duration
	pick int // what Choose returns
}

// config has a lease of 1000 ms, and clocks that are right. A member waits 100 ms for an answer.
var config = storelease.Config{Lease: time.Second, Renew: 200 * time.Millisecond, Delay: 10 * time.Millisecond, Drift: -1}

// member is process 3, whose store is process 1. Its incarnation is 7.
func member(t *testing.T, c storelease.Config) *single { return start(t, c, 3, 1, 4) }

func start(t *testing.T, c storelease.Config, ids ...election.ID) *single {
	t.Helper()
	a, err := storelease.New(c)
	require.NoError(t, err)
	p := &single{alg: a}
	for _, id := range ids {
		p.view = append(p.view, election.Rank{ID: id})
	}
	p.env = election.NewEnv(p.view, func(n int) int { return min(p.pick, n-1) })
	p.node = a.New(election.Setup{Self: p.view[0], Ports: len(ids) - 1})
	return p
}

var timers = []string{"due", "turn"}

var commands = map[string]func(uint64) election.Message{
	"resign": func(to uint64) election.Message { return lease.Resign(0, election.ID(to)) },
	"raise":  lease.Raise, "prefer": lease.Prefer,
	"renew":   func(uint64) election.Message { return lease.Renew() },
	"lapse":   func(uint64) election.Message { return lease.Lapse() },
	"sitdown": func(uint64) election.Message { return lease.SitDown() },
}

// A message is value#2@5(4.9)/6: number 2, revision 5, owner 4 in its incarnation 9, Term 6. An owner in angle brackets
// is the successor of a released record.
var written = regexp.MustCompile(`^(\w+)(?:#(\d+))?(?:@(\d+))?(?:([(<])(\d+)\.(\d+)[)>])?(?:/(\d+))?$`)

// do takes an event, and returns in words what it causes. Times are milliseconds.
func (p *single) do(t *testing.T, s string) string {
	t.Helper()
	if at, rest, ok := strings.Cut(s, " "); ok && at[0] == '@' {
		now, err := strconv.ParseFloat(at[1:], 64)
		require.NoError(t, err)
		p.now, s = time.Duration(now*1e6), rest
	}
	ev := p.event(t, s)
	ev.At = p.now
	fx := p.env.Begin(0)
	p.node.Step(p.env, &ev)
	p.moveOn(t)
	return p.words(fx)
}

// moveOn makes another Node continue from the state of this one.
func (p *single) moveOn(t *testing.T) {
	t.Helper()
	state := new(election.State).Append(nil, p.node)
	p.node = p.alg.New(election.Setup{Self: p.view[0], Ports: len(p.view) - 1})
	require.NoError(t, new(election.State).Restore(p.node, state))
}

func (p *single) event(t *testing.T, s string) election.Event {
	t.Helper()
	what, of, _ := strings.Cut(s, " ")
	number, _ := strconv.ParseUint("0"+of, 10, 64)
	if i := slices.Index(timers, s); i >= 0 {
		return election.Event{Op: election.Timeout, Timer: uint8(i)}
	}
	if command, ok := commands[what]; ok {
		return election.Event{Op: election.Command, Msg: command(number)}
	}
	switch what {
	case "init":
		return election.Event{Op: election.Init, Msg: election.Message{Value: 1, Term: number}}
	case "again":
		return election.Event{Op: election.Init, Msg: election.Message{Value: 2}}
	case "start":
		return election.Event{Op: election.Start}
	case "rejoin":
		return election.Event{Op: election.Rejoin}
	}
	part := written.FindStringSubmatch(s)
	require.NotNil(t, part, s)
	field := func(i int) uint64 {
		v, err := strconv.ParseUint("0"+part[i], 10, 64)
		require.NoError(t, err, s)
		return v
	}
	r := storelease.Record{Term: field(7), Incarnation: field(6), Lease: time.Second}
	if r.Owner = election.ID(field(5)); part[4] != "(" {
		r.Owner, r.Next = 0, r.Owner
	}
	kind := slices.IndexFunc(p.alg.Kinds, func(k election.Kind) bool { return k.Name == part[1] })
	require.GreaterOrEqual(t, kind, 0, s)
	m := storelease.Answer(uint8(kind+1), uint32(field(2)), uint32(field(3)))
	if part[4] != "" {
		m = storelease.Value(uint32(field(2)), uint32(field(3)), r)
		m.Kind = uint8(kind + 1)
	}
	return election.Event{Op: election.Recv, Msg: m}
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }

func (p *single) words(fx *election.Effects) string {
	var words []string
	if fx.Saved() {
		words = append(words, "save")
	}
	for _, s := range fx.Sends {
		revision, r := storelease.Read(&s.Msg)
		word := p.alg.Kinds[s.Msg.Kind-1].Name
		if s.Port > 0 {
			word = fmt.Sprint(p.view[s.Port+1].ID, ":", word)
		}
		word += fmt.Sprintf("#%d", s.Msg.Round)
		if s.Msg.Kind == storelease.KindPut || revision != 0 {
			word += fmt.Sprintf("@%d", revision)
		}
		switch {
		case r.Term == 0:
		case r.Owner == 0:
			word += fmt.Sprintf("<%d.%d>/%d", r.Next, r.Incarnation, r.Term)
		default:
			word += fmt.Sprintf("(%d.%d)/%d", r.Owner, r.Incarnation, r.Term)
		}
		words = append(words, word)
	}
	for _, c := range fx.Timers {
		switch {
		case c.Stop:
			words = append(words, "-"+timers[c.Timer])
		case c.Min == c.Max:
			words = append(words, fmt.Sprintf("+%s%v", timers[c.Timer], ms(c.Max)))
		default:
			words = append(words, fmt.Sprintf("+%s%v..%v", timers[c.Timer], ms(c.Min), ms(c.Max)))
		}
	}
	if o := fx.Outcome; fx.Decided() {
		words = append(words, fmt.Sprintf("%v(%d)/%d", o.Role, o.Leader.ID, o.Term))
		if o.Until != 0 {
			words = append(words, fmt.Sprintf("until %v", ms(o.Until)))
		}
	}
	if fx.Err != nil {
		words = append(words, "refused")
	}
	return strings.Join(words, " ")
}

// rule is a list of events, separated by semicolons, and what the last of them causes.
type rule struct{ name, events, want string }

func requireRules(t *testing.T, c storelease.Config, all []rule) {
	t.Helper()
	for _, r := range all {
		p, got := member(t, c), ""
		for event := range strings.SplitSeq(r.events, "; ") {
			got = p.do(t, event)
		}
		require.Equal(t, r.want, got, "%s: %s", r.name, r.events)
	}
}

// held is a member that has read the record of 4, which is shown at 10. taking has sent PUT 2 at 1015, and leads is a
// leader in Term 6 until 2015, which renews at 1215. creating has sent PUT 3 at 1300, for which there is no record.
const (
	held     = "init; start; @10 value#1@5(4.9)/5"
	taking   = held + "; @1010 due; @1015 turn"
	creating = "init; start; @10 absent#1; @1010 due; @1300 turn"
	leads    = taking + "; @1017 written#3@6"
)

// TestRuleLook: rule 2: a member reads, and reads again.
func TestRuleLook(t *testing.T) {
	requireRules(t, config, []rule{
		{"it reads first", "init", "get#1 +due100"},
		{"no answer", "init; @100 due", "get#2 +due100"},
		{"an answer", "init; @10 value#1@5(4.9)/5", "+due200 follower(4)/5"},
		{"nothing heard since", "init; @10 value#1@5(4.9)/5; @210 due", "get#2 +due100"},
		{"changed", "init; @10 value#1@5(4.9)/5; @20 changed", "get#2 +due100"},
		{"reported", "init; @10 value#1@5(4.9)/5; @20 value#0@6(4.9)/5", "+due200"},
		{"a failure", "init; @10 open#1", "+due25"},
		{"a failure of an earlier request", "init; @100 due; @110 open#1", ""},
		{"after a failure", "init; @10 open#1; @35 due", "get#2 +due100"},
		{"of another kind", "init; rejoin", ""},
	})
}

// TestRuleWait: rules 3 and 4: a candidate waits, from when a revision was shown.
func TestRuleWait(t *testing.T) {
	requireRules(t, config, []rule{
		{"the record has stood", held + "; @1010 due", "get#2 +turn0..20 +due100 undecided(0)/5"},
		{"not yet", held + "; @1009.9 due", "get#2 +due0.1"},
		{"shown again", held + "; @900 value#2@5(4.9)/5; @1010 due", "+turn0..20 +due90 undecided(0)/5"},
		{"changed meanwhile", held + "; @900 value#2@6(4.9)/5; @1010 due", "+due90"},
		{"changed in its turn", held + "; @1010 due; @1011 value#2@6(4.9)/5", "-turn +due200 follower(4)/5"},
		{"stale in its turn", held + "; @20 value#2@6(4.9)/5; @1020 due; @1021 value#2@5(4.9)/5", "+due200"},
		{"nothing is stored", "init; start; @10 absent#1; @1010 due", "get#2 +turn0..20 +due100"},
		{"nothing is stored yet", "init; start; @10 absent#1; @1009 due", "get#2 +due1"},
		{"nothing is stored, as a late answer shows", "init; start; @10 absent#1; @910 due; @2199 absent#2", "+turn0..20 +due200"},
		{"no answer for long", "init; start; @10 absent#1; @910 due; @2200 absent#2", "+due200"},
		{"no answer yet", "init; start; @10 absent#1; @2200 due", "get#2 +due100"},
		{"no answer in its turn", "init; start; @10 absent#1; @1010 due; @2200 turn", ""},
		{"and the wait begins again", "init; start; @10 absent#1; @2190 due; @2200 absent#2; @2400 due; @2405 absent#3; " +
			"@3199 due", "get#4 +due1"},
		{"and ends", "init; start; @10 absent#1; @2190 due; @2200 absent#2; @2400 due; @2405 absent#3; @3200 due",
			"get#4 +turn0..20 +due100"},
		{"it starts later", "init; @10 value#1@5(4.9)/5; @1100 start", "+turn0..20 undecided(0)/5"},
		{"its own name", "init; start; @10 value#1@5(3.9)/5; @900 due", "get#2 +due100"},
		{"priority 3", "init; prefer 3; start; @10 absent#1; @1010 due", "get#2 +turn140..160 +due100"},
		{"priority 12", "init; prefer 12; start; @10 absent#1; @1010 due", "get#2 +turn0..20 +due100"},
		{"released", "init; start; @10 value#1@5<0.9>/5", "put#2@5(3.1)/6 +due100"},
		{"released, with a priority", "init; prefer 9; start; @10 value#1@5<0.9>/5", "+turn20 +due200"},
		{"released for it", "init; start; @10 value#1@5<3.9>/5", "put#2@5(3.1)/6 +due100"},
		{"released for another", "init; start; @10 value#1@5<4.9>/5", "+due200"},
		{"released, and no candidate", "init; @10 value#1@5<3.9>/5", "+due200"},
		{"no candidate any more", held + "; @1010 due; lapse", "-turn"},
	})
	slow := config
	slow.Drift = 0.2
	requireRules(t, slow, []rule{
		{"clocks may be wrong", held + "; @1509 due", "get#2 +due1"},
		{"clocks may be wrong", held + "; @1510 due", "get#2 +turn0..20 +due100 undecided(0)/5"},
	})
	short := config
	short.Lease = 500 * time.Millisecond
	requireRules(t, short, []rule{
		{"the longer lease counts", held + "; @510 due", "get#2 +due100"},
		{"its own counts without a record", "init; start; @10 absent#1; @510 due", "get#2 +turn0..20 +due100"},
	})
}

// TestRuleTake: rules 5, 6 and 9: a lease is counted from the PUT.
func TestRuleTake(t *testing.T) {
	requireRules(t, config, []rule{
		{"it takes", taking, "put#3@5(3.1)/6 +due100"},
		{"it leads", leads, "+due198 leader(3)/6 until 2015"},
		{"too late", taking + "; @2015 written#3@6", "put#4@6(3.1)/7 +due100"},
		{"it creates the record", creating + "; @2199 written#3@6", "put#4@6(3.1)/1 +due100 leader(3)/1 until 2300"},
		{"another may have been lost before", creating + "; @2200 written#3@6", ""},
		{"a copy was carried out first", creating + "; @1301 conflict#3; @1302 written#3@6; @1303 value#4@6(3.1)/1",
			"put#5@6(3.1)/2 +due100"},
		{"nothing was stored for long", creating + "; @2200 absent#2; @2250 written#3@6", ""},
		{"another was lost before", creating + "; @1400 value#2@5(4.9)/1; @1405 written#3@6", ""},
		{"the answer to another PUT", taking + "; @1017 written#2@6", ""},
		{"another was faster", taking + "; @1017 conflict#3", "get#4 +due100"},
		{"by CONFLICT the wait begins again", taking + "; @1017 conflict#3; @1018 value#4@5(4.9)/5; @2016 due",
			"get#5 +due1"},
		{"and ends", taking + "; @1017 conflict#3; @1018 value#4@5(4.9)/5; @2017 due", "get#5 +turn0..20 +due100"},
		{"it renews", leads + "; @1215 due", "put#4@6(3.1)/6 +due100"},
		{"renewed", leads + "; @1215 due; @1220 written#4@7", "+due195 leader(3)/6 until 2215"},
		{"renewed late", leads + "; @1215 due; @1315 due; @1900 written#4@7", "put#6@7(3.1)/6 +due100 leader(3)/6 until 2215"},
		{"it ends", leads + "; @2015 due", "get#4 put#5@6(3.1)/7 +due100 undecided(0)/6"},
		{"renewed too late", leads + "; @1215 due; lapse; @2015 written#4@7", "undecided(0)/6"},
		{"renewed by a command", leads + "; @1050 renew", "put#4@6(3.1)/6 +due100"},
		{"by two", leads + "; @1050 renew; @1051 renew; @1052 written#4@7", "put#5@7(3.1)/6 +due100 leader(3)/6 until 2050"},
		{"not led", held + "; renew", ""},
		{"it lets the lease expire", leads + "; lapse; @1215 due", "+due200"},
		{"unless it is started again", leads + "; lapse; @1215 due; @1300 start; @1415 due", "put#4@6(3.1)/6 +due100"},
		{"a Term of its program", "init 70; start; @10 value#1@5<0.9>/5", "put#2@5(3.1)/71 +due100"},
		{"a Term by a command", "init; raise 70; start; @10 value#1@5<0.9>/5", "put#2@5(3.1)/71 +due100"},
		{"no Term is left", "init; raise 9007199254740991; start; @10 value#1@5<0.9>/5", "+due200 refused"},
	})
}

// TestRuleDoubt: rule 7: what has become of a PUT.
func TestRuleDoubt(t *testing.T) {
	renewing := leads + "; @1215 due"
	requireRules(t, config, []rule{
		{"no answer", renewing + "; @1315 due", "get#5 +due100"},
		{"it was written", renewing + "; @1315 due; @1320 value#5@7(3.1)/6", "put#6@7(3.1)/6 +due100"},
		{"it was not written, so far", renewing + "; @1315 due; @1320 value#5@6(3.1)/6", "put#6@6(3.1)/6 +due100"},
		{"nothing is stored any more", renewing + "; @1315 due; @1320 absent#5", "put#6@0(3.1)/6 +due100"},
		{"an answer to an earlier question", renewing + "; @1315 due; @1320 value#2@6(3.1)/6", ""},
		{"a report", renewing + "; @1315 due; @1320 value#0@7(3.1)/6", ""},
		{"a record of before", renewing + "; @1315 due; @1320 value#5@5(4.9)/5", "+due10"},
		{"another leads", renewing + "; @1315 due; @1320 value#5@9(4.9)/7", "+due200 follower(4)/7"},
		{"another leads, as is reported", leads + "; @1320 value#0@9(4.9)/7", "+due200 follower(4)/7"},
		{"it failed", renewing + "; @1220 open#4", "+due25"},
		{"it reads then", renewing + "; @1220 open#4; @1245 due", "get#5 +due100"},
		{"a conflict", renewing + "; @1220 conflict#4", "get#5 +due100"},
		{"with an earlier PUT of its own", renewing + "; @1220 conflict#4; @1225 value#5@7(3.1)/6", "put#6@7(3.1)/6 +due100"},
		{"the answer is stale", renewing + "; @1220 conflict#4; @1225 value#5@6(3.1)/6", "+due10"},
		{"a candidate finds itself", taking + "; @1115 due; @1120 value#4@6(3.1)/6", "put#5@6(3.1)/7 +due100"},
		{"an earlier incarnation", taking + "; @1115 due; @1120 value#4@6(3.9)/6", "+due200"},
		{"it was not written", taking + "; @1115 due; @1120 value#4@5(4.9)/5", "+turn0..20 +due200"},
		{"numbers of a return", "init; again", "get#65537 +due100"},
		{"a late answer to the incarnation before", taking + "; again; @1017 written#3@6", ""},
	})
}

// TestRuleRelease: rule 8: a leader stops, and then releases.
func TestRuleRelease(t *testing.T) {
	resigned := leads + "; @1100 resign 4"
	requireRules(t, config, []rule{
		{"it resigns", leads + "; @1100 resign", "put#4@6<0.1>/6 +due100 undecided(0)/6"},
		{"after a larger Term was raised", leads + "; @1100 raise 9; @1101 resign", "put#4@6<0.1>/9 +due100 undecided(0)/6"},
		{"for another", resigned, "put#4@6<4.1>/6 +due100 undecided(0)/6"},
		{"written", resigned + "; @1105 written#4@7", "+due200"},
		{"lost, and written", resigned + "; @1200 due; @1205 value#5@7<4.1>/6", "+due200"},
		{"lost, and not written", resigned + "; @1200 due; @1205 value#5@6(3.1)/6", "put#6@6<4.1>/6 +due100"},
		{"another leads", resigned + "; @1105 written#4@7; @1110 value#0@8(4.9)/7", "+due200 follower(4)/7"},
		{"it waits for a lease", resigned + "; @1105 written#4@7; @1200 value#0@8<0.1>/6; @2099 due", "get#5 +due1"},
		{"and takes", resigned + "; @1105 written#4@7; @1200 value#0@8<0.1>/6; @2099 due; @2100 due", "put#6@8(3.1)/7 +due100"},
		{"unless it is named", resigned + "; @1105 written#4@7; @1300 value#0@9<3.9>/7", "put#5@9(3.1)/8 +due100"},
		{"a renewal is in flight", leads + "; @1215 due; @1216 resign", "undecided(0)/6"},
		{"it was written", leads + "; @1215 due; @1216 resign; @1217 written#4@7", "put#5@7<0.1>/6 +due100"},
		{"not any more", resigned + "; @2015 due", "get#5 +due2"},
		{"it sits down", leads + "; @1100 sitdown", "put#4@6<0.1>/6 +due100 undecided(0)/6"},
		{"before it leads", taking + "; @1016 sitdown", ""},
		{"and then it would", taking + "; @1016 sitdown; @1017 written#3@6", "put#4@6<0.1>/6 +due100"},
	})
}

// TestRuleStore: rule 1: the store.
func TestRuleStore(t *testing.T) {
	for _, r := range []struct {
		name, events string
		pick         int
		want         string
	}{
		{"nothing is stored", "init; get#1", 0, "absent#1"},
		{"created", "init; put#1@0(3.1)/1", 0, "save written#1@1 follower(3)/1"},
		{"read", "init; put#1@0(3.1)/1; get#2", 0, "value#2@1(3.1)/1"},
		{"another revision", "init; put#1@0(3.1)/1; put#2@0(4.1)/1", 0, "conflict#2"},
		{"replaced", "init; put#1@0(3.1)/1; put#2@1<0.1>/1", 0, "save written#2@2 undecided(0)/1"},
		{"it returns", "init; put#1@0(3.1)/1; again; get#2", 0, "value#2@1(3.1)/1"},
		{"it ignores a start", "init; start", 0, ""},
	} {
		p, got := start(t, config, 1, 3, 4), ""
		for event := range strings.SplitSeq(r.events, "; ") {
			got = p.do(t, event)
		}
		require.Equal(t, r.want, got, r.name)
	}
	c := config
	c.Watch, c.Fails, c.Stale = true, 1, 1
	p := start(t, c, 1, 3, 4)
	p.do(t, "init")
	require.Equal(t, "save written#1@1 4:value#0@1(3.1)/1 follower(3)/1", p.do(t, "put#1@0(3.1)/1"))
	p.pick = 2
	require.Equal(t, "save open#2 4:value#0@2(3.1)/1 follower(3)/1", p.do(t, "put#2@1(3.1)/1"), "carried out all the same")
	p.pick = 1
	require.Equal(t, "value#3@1(3.1)/1", p.do(t, "get#3"), "stale")
	require.Equal(t, "value#3@2(3.1)/1", p.do(t, "get#3"))
	p = start(t, c, 1, 3, 4)
	p.do(t, "init")
	p.pick = 1
	require.Equal(t, "open#1", p.do(t, "put#1@0(3.1)/1"))
	p.pick = 0
	require.Equal(t, "absent#2", p.do(t, "get#2"), "not carried out")
}

// TestRuleTerms: rule 9: a Durable member saves Terms.
func TestRuleTerms(t *testing.T) {
	c := config
	c.Durable = true
	requireRules(t, c, []rule{
		{"read", "init; @10 value#1@5(4.9)/5", "save +due200 follower(4)/5"},
		{"read before", "init; @10 value#1@5(4.9)/5; @20 value#0@6(4.9)/5", "+due200"},
		{"its own", taking, "save put#3@5(3.1)/6 +due100"},
		{"remembered", held + "; again; start; @10 absent#65537; @1020 due; @1030 turn", "save put#65539@0(3.2)/6 +due100"},
	})
}

// TestAlone: a process without links is its own store.
func TestAlone(t *testing.T) {
	p := start(t, config, 3)
	for _, step := range [][2]string{{"init", "+due200"}, {"start", ""}, {"@1000 due", "+turn0..20 +due200"},
		{"@1010 turn", "save +due200 leader(3)/1 until 2010"}, {"@1100 resign", "save +due200 undecided(0)/1"}} {
		require.Equal(t, step[1], p.do(t, step[0]), step[0])
	}
}

// TestRefusedConfigs: times that cannot be.
func TestRefusedConfigs(t *testing.T) {
	for want, c := range map[string]storelease.Config{
		"Delay: -1ns is not between 1 ns and 625h29m59.813685247s":        {Delay: -1},
		"Renew: 750.000001ms is not between 1 ns and a Lease of 750ms":    {Renew: 750_000_001},
		"Drift: 0.5 is not less than 0.5":                                 {Drift: 0.5},
		"Poll: -1ns is not between 1 ns and 8 times a Lease of 750ms":     {Poll: -1},
		"Patience: 1h0m0s is not between 1 ns and 8 times a Lease of 1ms": {Patience: time.Hour, Lease: time.Millisecond},
	} {
		_, err := storelease.New(c)
		require.ErrorIs(t, err, election.ErrInput, want)
		require.Equal(t, want, input.Reason(err))
	}
}
