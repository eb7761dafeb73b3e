package mutex

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-election/election"
	"github.com/go-election/election/cost"
	"github.com/go-election/election/internal/input"
	"github.com/go-election/election/params"
)

// Arbiter returns the variant in which an elected process grants the sections. The error wraps
// [election.ErrInput]: the election is one for hypercubes or meshes, or elects nobody, or times cannot be.
func Arbiter(c Config) (*election.Algorithm, error) { return arbiterOf(c, nil) }

// arbiterOf returns the arbiter; others are the elections that parameters may name instead.
func arbiterOf(c Config, others []*election.Algorithm) (*election.Algorithm, error) {
	plain := c.Election
	if plain == nil {
		return nil, input.Errorf("Config.Election: none is given, and the arbiter has to be elected")
	}
	inner, err := electing(plain)
	if err != nil {
		return nil, fmt.Errorf("the election of the arbiter: %w", err)
	}
	c.Election, c.overlay, c.slow = inner, inner != plain, inner != plain && c.Grace == 0
	if err := c.complete(); err != nil {
		return nil, err
	}
	base := uint8(len(inner.Kinds))
	if len(inner.Kinds) > math.MaxUint8-3 {
		return nil, input.Errorf("the election of the arbiter: %s has %d Kinds", inner.Title(), base)
	}
	a := &election.Algorithm{
		Name: "mutex", Variant: "arbiter", Summary: "an elected arbiter grants the section to one after another, with fencing tokens",
		Source:   "Le Lann 1977; Burrows 2006",
		Topology: election.Complete, TwoWay: true, NeedsFIFO: inner.NeedsFIFO,
		Winner: inner.Winner, Faults: survives(inner), LateStart: election.LateJoins, LongLived: true, NeverQuiesces: inner.NeverQuiesces, Sections: c.Sections,
		Delay: c.Delay,
		Kinds: append(slices.Clone(inner.Kinds),
			election.Kind{Name: "request", Bits: numbered},
			election.Kind{Name: "grant", Bits: func(w cost.Widths) uint64 { return numbered(w) + 64 }},
			election.Kind{Name: "release", Bits: numbered}),
		Best: cost.Bound{Formula: "3 an entry"},
		New: func(s election.Setup) election.Node {
			host := inner.NewNode(s, false)
			return election.Stack(&host, &arbiter{config: &c, base: base})
		},
	}
	if c.Arbiter != 0 {
		a.Winner, a.Faults = named, election.Faults{}
	}
	a.Params = []params.Param{
		{Name: "critical_section", About: "how long a process stays inside", Default: "1"},
		{Name: "election", About: "how the arbiter is elected: any but hypercube, mesh; bully/halting if the largest starts", Default: plain.Title()},
		{Name: "arbiter", About: "who is the arbiter from the beginning", Default: "whoever is elected"},
		{Name: "lease", About: "how long a grant is good", Default: "10, or twice critical_section"},
		{Name: "grace", About: "how long a new arbiter waits for requests to come again", Default: "2 delays, or n+1 over an overlay"},
		{Name: "delay", About: "how long a message takes at most", Default: "1"},
	}
	for _, own := range inner.Params {
		if own.Name != "delay" {
			a.Params = append(a.Params, own)
		}
	}
	if len(others) == 0 {
		others = []*election.Algorithm{plain}
	}
	a.Configure = func(p *params.Params) (*election.Algorithm, error) { return configureArbiter(plain, others, p) }
	return a, nil
}

// named is the rule where a parameter names the arbiter.
var named = &election.Winner{Name: "the one that is named"}

// survives returns what an arbiter that is elected so survives. Without its state a process that comes back
// could grant a fencing token twice, and if all are down at once the last token is known to none.
func survives(inner *election.Algorithm) election.Faults {
	f := inner.Faults
	if f.Crash {
		f.Recover, f.Down = false, func(n int) int { return n - 1 }
	}
	return f
}

// electing returns an election as it can elect an arbiter.
func electing(a *election.Algorithm) (*election.Algorithm, error) {
	over, err := a.OverComplete()
	if err == nil && (a.Leaderless || a.Sections > 0) {
		err = input.Errorf("algorithm: %s elects nobody to be an arbiter", a.Title())
	}
	return over, err
}

// configureArbiter reads the parameters of the arbiter, and hands the others to the election: the
// first, or one of the others.
func configureArbiter(first *election.Algorithm, others []*election.Algorithm, p *params.Params) (*election.Algorithm, error) {
	inner := choose(first, others, p)
	var err error
	c := Config{CriticalSection: DefaultSection, Election: inner}
	p.Time("critical_section", &c.CriticalSection)
	p.Time("delay", &c.Delay)
	p.Process("arbiter", (*uint64)(&c.Arbiter))
	p.Time("lease", &c.Lease)
	p.Time("grace", &c.Grace)
	if inner.Configure != nil {
		if c.Election, err = inner.Configure(p); err != nil {
			return nil, err
		}
	}
	if err := c.told(p); err != nil {
		return nil, err
	}
	return arbiterOf(c, others)
}

// choose returns the election that is named: by its title, or by its name for the default of that.
func choose(first *election.Algorithm, others []*election.Algorithm, p *params.Params) *election.Algorithm {
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
	p.Choice("election", &name, names...)
	if i := slices.Index(names, name); i >= 0 && name != first.Title() {
		return named[i]
	}
	return first
}

// told returns what is wrong with parameters: nobody is there to tell a process to leave.
func (c *Config) told(p *params.Params) error {
	if err := p.Err(); err != nil {
		return err
	}
	if c.CriticalSection == 0 {
		return input.Errorf("params.critical_section: zero leaves no time to be inside")
	}
	return nil
}

// numbered is the size of a message that repeats a Term and a number.
func numbered(cost.Widths) uint64 { return 32 }

// RicartAgrawala returns the variant in which everybody is asked.
func RicartAgrawala(c Config) (*election.Algorithm, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	clock := func(cost.Widths) uint64 { return 64 }
	return &election.Algorithm{
		Name: "mutex", Variant: "ricartagrawala", Summary: "whoever wants to enter asks all others; the earlier request goes first",
		Source:   "Ricart, Agrawala 1981",
		Topology: election.Complete, TwoWay: true,
		Leaderless: true, LateStart: election.LateJoins, LongLived: true, Sections: c.Sections,
		Kinds:  []election.Kind{{Name: "request", Bits: clock}, {Name: "ok", Bits: clock}},
		Best:   cost.Bound{Formula: "2(n-1) an entry"},
		New:    func(election.Setup) election.Node { return &asker{config: &c} },
		Params: []params.Param{{Name: "critical_section", About: "how long a process stays inside", Default: "1"}},
		Configure: func(p *params.Params) (*election.Algorithm, error) {
			c := Config{CriticalSection: DefaultSection}
			p.Time("critical_section", &c.CriticalSection)
			if err := c.told(p); err != nil {
				return nil, err
			}
			return RicartAgrawala(c)
		},
	}, nil
}

// TokenRing returns the variant in which a token goes round. The error wraps [election.ErrInput]: there is
// neither a First nor Regenerate, so that nobody ever has a token, or times cannot be.
func TokenRing(c Config) (*election.Algorithm, error) {
	if c.First == 0 && c.Regenerate == 0 {
		return nil, input.Errorf("params.first: nobody has the token in the beginning, and without regenerate nobody ever makes one")
	}
	return tokenRing(c)
}

func tokenRing(c Config) (*election.Algorithm, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	a := &election.Algorithm{
		Name: "mutex", Variant: "tokenring", Summary: "whoever holds the token that goes round may enter",
		Source:   "Le Lann 1977",
		Topology: election.Ring, NeedsFIFO: true,
		Leaderless: true, LateStart: election.LateJoins, LongLived: true, Sections: c.Sections,
		NeverQuiesces: c.Hops == 0 && (c.First != 0 || c.Regenerate > 0),
		Kinds: []election.Kind{
			{Name: "token", Bits: func(cost.Widths) uint64 { return 96 }},
			{Name: "candidate", Bits: func(w cost.Widths) uint64 { return w.Rank() }},
		},
		Best: cost.Bound{Formula: "1 an entry"},
		New:  func(election.Setup) election.Node { return &holder{config: &c} },
		Params: []params.Param{
			{Name: "critical_section", About: "how long a process stays inside", Default: "1"},
			{Name: "first", About: "where the token is in the beginning", Default: "the first process"},
			{Name: "hops", About: "how many messages the token may take", Default: "2n; any number with regenerate"},
			{Name: "regenerate", About: "how long to wait before a lost token is made anew", Default: "for ever"},
			{Name: "bridge", About: "whether the ring is laid over a complete graph, without those who are suspected", Default: "no"},
		},
		Configure: configureTokenRing,
	}
	if c.Regenerate > 0 {
		a.Faults = election.Faults{Crash: true, Restart: true, Loss: true, Told: true}
	}
	if c.Bridge {
		return a.OverComplete()
	}
	return a, nil
}

func configureTokenRing(p *params.Params) (*election.Algorithm, error) {
	c := Config{CriticalSection: DefaultSection}
	if ids := p.IDs(); len(ids) > 0 {
		c.First = election.ID(ids[0])
	}
	hops := uint64(2 * len(p.IDs()))
	p.Time("critical_section", &c.CriticalSection)
	p.Process("first", (*uint64)(&c.First))
	p.Time("regenerate", &c.Regenerate)
	p.Truth("bridge", &c.Bridge)
	if c.Regenerate > 0 {
		hops = 0
	}
	p.Count("hops", &hops)
	if err := c.told(p); err != nil {
		return nil, err
	}
	if given, _ := p.Has("hops"); given && hops == 0 {
		return nil, input.Errorf("params.hops: the token needs one at least")
	}
	c.Hops = uint32(min(hops, math.MaxUint32))
	return tokenRing(c) // without processes there is no First
}
