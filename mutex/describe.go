package mutex

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/input"
	"github.com/go-election/election/params"
)

// Arbiter returns the variant in which an elected process grants the sections. It returns an error that wraps
// [election.ErrInput] if the election is for hypercubes or meshes, elects no process or one per group, or if a
// duration is invalid.
func Arbiter(c Config) (*election.Algorithm, error) { return arbiterOf(c, nil) }

// arbiterOf returns the arbiter variant. others are the elections that the parameter election may select
// instead.
func arbiterOf(c Config, others []*election.Algorithm) (*election.Algorithm, error) {
	given, plain := c, c.Election
	if plain == nil {
		return nil, input.Errorf("Config.Election: missing, and the arbiter has to be elected")
	}
	inner, err := electing(plain)
	if err != nil {
		return nil, fmt.Errorf("the election of the arbiter: %w", err)
	}
	c.Election, c.overlay = inner, inner != plain
	if err := c.complete(); err != nil {
		return nil, err
	}
	base := uint8(len(inner.Kinds))
	if len(inner.Kinds) > math.MaxUint8-ownKinds {
		return nil, input.Errorf("the election of the arbiter: %s has %d Kinds", inner.Title(), base)
	}
	if len(others) == 0 {
		others = []*election.Algorithm{plain}
	}
	a := &election.Algorithm{
		Name: "mutex", Variant: "arbiter",
		Summary:  "an elected arbiter grants the section to one after another, with fencing tokens",
		Source:   "Le Lann 1977; Burrows 2006",
		Topology: election.Complete, TwoWay: true, NeedsFIFO: inner.NeedsFIFO,
		Winner: inner.Winner, Faults: survives(inner), LateStart: election.LateJoins, Elects: election.Successors,
		NeverQuiesces: inner.NeverQuiesces, Heartbeats: inner.Heartbeats, Sections: c.Sections,
		Stay: c.stay(), Delay: c.Delay,
		Kinds: append(slices.Clone(inner.Kinds),
			election.Kind{Name: "request", Round: "stamp", Flags: "section", Marks: []string{7: "inside"},
				Bits: requestBits},
			election.Kind{Name: "grant", Round: "stamp", Value: "token", Flags: "section",
				Bits: func(w cost.Widths) uint64 { return requestBits(w) + 64 }},
			election.Kind{Name: "release", Round: "stamp", Flags: "section", Bits: requestBits},
			election.Kind{Name: "claim", Value: "reign", Bits: reignBits},
			election.Kind{Name: "later", Value: "reign",
				Bits: func(w cost.Widths) uint64 { return reignBits(w) + w.Rank() }}),
		Timers: append(layersOf(inner), c.timersOf([]string{timerStay: "the time inside",
			timerLease: "the lease of the grant", timerGrace: "the grace of the arbiter"})),
		Best: cost.Bound{Formula: "3 per entry"},
		New: func(s election.Setup) election.Node {
			host := inner.NewNode(s, false)
			return election.Stack(&host, &arbiter{config: &c, base: base})
		},
		Params: c.arbiterTable(plain.Title(), inner.Params).Described(),
		Configure: func(g *params.Given) (*election.Algorithm, error) {
			return configureArbiter(given, others, g)
		},
	}
	if inner.Knows == election.PortsAround {
		a.Knows = election.PortsAround
	}
	if a.Winner != nil && a.Winner.ByStart {
		// A Start requests a section: whether it starts an election depends on earlier events.
		a.Winner = nil
	}
	if c.Arbiter != 0 {
		a.Winner, a.Faults = named(c.Arbiter), election.Faults{}
	}
	return a, nil
}

// layersOf returns the timer names of the machines below the arbiter, which are empty for a machine without
// timers.
func layersOf(inner *election.Algorithm) [][]string {
	all := make([][]string, max(int(inner.Below)+1, len(inner.Timers)))
	copy(all, inner.Timers)
	return all
}

// arbiterTable returns the parameters of the arbiter, which are stored in c, and the parameters of its
// election, which the election reads itself. Both share one bound on delays.
func (c *Config) arbiterTable(first string, inner params.Table) params.Table {
	t := params.Table{
		c.sectionParam(),
		{Name: "election", Default: first,
			About: "how the arbiter is elected: any but hypercube, mesh; bully/halting if the largest " +
				"starts"},
		{Name: "arbiter", About: "the process that is the arbiter from the beginning",
			Default: "the one that is elected",
			To:      params.Process(&c.Arbiter)},
		{Name: "lease", About: "how long a grant is good", Default: "10, or twice critical_section",
			To: params.Time(&c.Lease)},
		{Name: "grace", About: "how long a new arbiter waits for requests to come again",
			Default: "2 delays", To: params.Time(&c.Grace)},
		{Name: "delay", About: "how long a message takes at most", Default: "1", Role: params.DelayBound,
			To: params.Time(&c.Delay)},
	}
	for _, own := range inner {
		if own.Role != params.DelayBound {
			t = append(t, own)
		}
	}
	return t
}

// sectionParam is a parameter of all variants. Its default is not zero: a process would wait for a Release,
// which never comes in a run that parameters describe.
func (c *Config) sectionParam() params.Param {
	return params.Param{Name: "critical_section", About: "how long a process stays inside", Default: "1",
		Positive: "zero leaves no time to be inside", To: params.Time(&c.CriticalSection)}
}

// named returns the rule if a parameter names the arbiter.
func named(arbiter election.ID) *election.Winner {
	return &election.Winner{Name: "the one that is named",
		Of: func([]election.Candidate) election.ID { return arbiter }}
}

// survives returns the Faults of an arbiter that inner elects. A process that recovers without its state could
// grant a fencing token twice, and if all processes are down simultaneously, none knows the last token.
func survives(inner *election.Algorithm) election.Faults {
	f := inner.Faults
	if f.Crash == election.MayRecover {
		f.Crash = election.MayRestart
	}
	if f.Crash != election.NoCrash {
		f.Down = func(n int) int { return n - 1 }
		// Without heartbeats, arbiters that were separated do not hear from each other. The heartbeats of a
		// failure detector below the election help as far as the election itself does.
		own := inner.Below == 0
		f.Pause, f.Cut = inner.Heartbeats && (own || f.Pause), inner.Heartbeats && (own || f.Cut)
	}
	return f
}

// electing returns the election in the form that can elect an arbiter.
func electing(a *election.Algorithm) (*election.Algorithm, error) {
	over, err := a.OverComplete()
	switch {
	case err == nil && (a.Elects == election.NoLeader || a.Sections > 0):
		err = input.Errorf("algorithm: %s elects no process to be an arbiter", a.Title())
	case err == nil && a.Elects == election.GroupLeaders:
		err = input.Errorf("algorithm: %s elects an arbiter for each group", a.Title())
	}
	return over, err
}

// configureArbiter reads the parameters of the arbiter into c. The election reads its own parameters:
// c.Election, or the one of others that a parameter names.
func configureArbiter(c Config, others []*election.Algorithm, g *params.Given) (*election.Algorithm, error) {
	c.words = params.ForFiles
	first := c.Election
	inner, err := choose(first, others, g)
	if err != nil {
		return nil, err
	}
	if err := c.arbiterTable(first.Title(), inner.Params).Read(g); err != nil {
		return nil, err
	}
	c.defaultSection()
	c.Election = inner
	if inner.Configure != nil {
		if c.Election, err = inner.Configure(g.For(inner.Params)); err != nil {
			return nil, err
		}
	}
	return arbiterOf(c, others)
}

// choose returns the election with the given title, or the default variant of the given name.
func choose(first *election.Algorithm, others []*election.Algorithm,
	g *params.Given,
) (*election.Algorithm, error) {
	var names []string
	var named []*election.Algorithm
	for _, a := range others {
		if _, err := electing(a); err != nil {
			continue
		}
		for _, name := range []string{a.Name, a.Title()} {
			if !slices.Contains(names, name) {
				names, named = append(names, name), append(named, a)
			}
		}
	}
	name := first.Title()
	row := params.Param{Name: "election", To: params.Choice(&name, names...)}
	if err := row.Read(g); err != nil {
		return nil, err
	}
	if i := slices.Index(names, name); i >= 0 && name != first.Title() {
		return named[i], nil
	}
	return first, nil
}

// defaultSection sets the default time inside for a run that parameters describe.
func (c *Config) defaultSection() {
	if c.CriticalSection == 0 {
		c.CriticalSection = DefaultSection
	}
}

// requestBits is the size of a message that repeats a Term and a number.
func requestBits(cost.Widths) uint64 { return 32 }

// reignBits is the size of a message that carries the number of a reign.
func reignBits(cost.Widths) uint64 { return 32 }

// RicartAgrawala returns the variant in which a process asks all others for permission.
func RicartAgrawala(c Config) (*election.Algorithm, error) {
	given := c
	if err := c.complete(); err != nil {
		return nil, err
	}
	clock := func(cost.Widths) uint64 { return 64 }
	return &election.Algorithm{
		Name: "mutex", Variant: "ricartagrawala",
		Summary:  "a process that wants to enter asks all others; the earlier request goes first",
		Source:   "Ricart, Agrawala 1981",
		Topology: election.Complete, TwoWay: true,
		Elects: election.NoLeader, LateStart: election.LateJoins, Sections: c.Sections,
		Stay:   c.CriticalSection,
		Faults: election.Faults{Copies: true},
		Kinds: []election.Kind{{Name: "request", Value: "number", Flags: "section", Bits: clock},
			{Name: "ok", Value: "number", Flags: "section", Bits: clock}},
		Timers: [][]string{c.timersOf([]string{timerStay: "the time inside"})},
		Best:   cost.Bound{Formula: "2(n-1) per entry"},
		New:    func(election.Setup) election.Node { return &asker{config: &c} },
		Params: params.Table{c.sectionParam()}.Described(),
		Configure: func(g *params.Given) (*election.Algorithm, error) {
			c := given // errors refer to the fields of given; the table itself checks the only parameter
			if err := (params.Table{c.sectionParam()}).Read(g); err != nil {
				return nil, err
			}
			c.defaultSection()
			return RicartAgrawala(c)
		},
	}, nil
}

// TokenRing returns the variant in which a token circulates. It returns an error that wraps [election.ErrInput]
// if neither First nor Regenerate is set, so that no process ever has a token, or if a duration is invalid.
func TokenRing(c Config) (*election.Algorithm, error) {
	if err := c.checkToken(); err != nil {
		return nil, err
	}
	return tokenRing(c, c)
}

// checkToken returns an error if no process would ever have a token.
func (c *Config) checkToken() error {
	if c.First != 0 || c.Regenerate != 0 {
		return nil
	}
	return c.words.Errorf("first", "no process has the token in the beginning, and without {regenerate} "+
		"none ever makes one")
}

// tokenRing returns the variant for c. given is the original Config, which Configure starts from.
func tokenRing(c, given Config) (*election.Algorithm, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	a := &election.Algorithm{
		Name: "mutex", Variant: "tokenring",
		Summary:  "the process that holds the token that goes round may enter",
		Source:   "Le Lann 1977",
		Topology: election.Ring, NeedsFIFO: true,
		Elects: election.NoLeader, LateStart: election.LateJoins, Sections: c.Sections,
		Stay:          c.CriticalSection,
		NeverQuiesces: c.Hops == 0 && (c.First != 0 || c.Regenerate > 0),
		Kinds: []election.Kind{
			{Name: "token", Round: "budget", Value: "entries", Flags: "section",
				Bits: func(cost.Widths) uint64 { return 96 }},
			{Name: "candidate", Flags: "section", Bits: func(w cost.Widths) uint64 { return w.Rank() }},
		},
		Timers: [][]string{c.timersOf([]string{timerStay: "the time inside",
			timerRest: "the rest of the token",
			timerLost: "the wait for the token", timerFirst: "the wait before the first token"})},
		Best:      cost.Bound{Formula: "1 per entry"},
		New:       func(election.Setup) election.Node { return &holder{config: &c} },
		Params:    c.ringTable().Described(),
		Configure: func(g *params.Given) (*election.Algorithm, error) { return configureTokenRing(given, g) },
	}
	if c.Regenerate > 0 {
		// A process that is down breaks the ring: no token passes it until it has recovered. A failure detector
		// does not help.
		a.Faults = election.Faults{Crash: election.MustRestart, Loss: true}
	}
	if !c.Bridge {
		return a, nil
	}
	over, err := a.OverComplete()
	if over != nil {
		over.Faults.Loss = a.Faults.Loss
	}
	return over, err
}

// ringTable returns the parameters of the token ring, which are stored in c.
func (c *Config) ringTable() params.Table {
	return params.Table{
		c.sectionParam(),
		{Name: "first", About: "where the token is in the beginning", Default: "the first process",
			To: params.Process(&c.First)},
		{Name: "hops", About: "how many messages the token may take",
			Default: "2n; any number with regenerate", Role: params.MessageBudget,
			Positive: "the token needs one at least", To: params.Count(&c.Hops)},
		{Name: "rest",
			About:   "how long a process keeps a token that no process has used since it was there last",
			Default: "0.01 seconds; none with hops", To: params.Time(&c.Rest)},
		{Name: "regenerate", About: "how long to wait before a lost token is made anew", Default: "for ever",
			To: params.Time(&c.Regenerate)},
		{Name: "bridge", Default: "no", To: params.Truth(&c.Bridge),
			About: "whether the ring is laid over a complete graph, without processes that are suspected"},
	}
}

// configureTokenRing applies parameters to the original Config. First and Hops default to the values of the
// run.
func configureTokenRing(given Config, g *params.Given) (*election.Algorithm, error) {
	given.words = params.ForFiles
	if err := given.ringTable().Read(g); err != nil {
		return nil, err
	}
	c := given
	c.defaultSection()
	if ids := g.IDs(); len(ids) > 0 && c.First == 0 { // without processes there is no First
		c.First = election.ID(ids[0])
	}
	if c.Hops == 0 && c.Regenerate == 0 {
		c.Hops = uint32(min(2*uint64(len(g.IDs())), math.MaxUint32))
	}
	return tokenRing(c, given)
}
