package experiment

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/params"
)

// What the models leave to chance, times in units.
const (
	mostNotice = 6  // of Instant
	step       = 10 // between two waits of Instant
	skew       = 40 // of Skewed
	leastDelay = 1
	mostDelay  = 10
	untilCrash = 10 // longest delays; by then the first election is long over
)

// crash is one crash of the coordinator as chance has it, before any method is tried.
type crash struct {
	model   Model
	ids     []election.ID
	notice  []election.ID
	at      []time.Duration // when they do, after the crash
	pending map[Ties]map[uint64]float64
	seed    uint64 // of the latencies
}

// draw leaves crash number i to chance.
func (r *Redundancy) draw(m Model, i int) *crash {
	// Each iteration has a source of its own, so the result does not depend on which worker draws first.
	random := rand.New(rand.NewPCG(r.Seed, uint64(i)<<8|uint64(m[0])))
	c := &crash{model: m, ids: upTo(r.N), seed: random.Uint64()}
	others := r.N - 1
	k := others
	if m == Instant {
		k = 1 + random.IntN(min(mostNotice, others))
	}
	for _, p := range random.Perm(others)[:k] {
		c.notice = append(c.notice, c.ids[p])
		at := time.Duration(0)
		if m == Skewed {
			at = time.Duration(random.Int64N(int64(skew * sim.Unit)))
		}
		c.at = append(c.at, at)
	}
	times := make([]float64, others)
	for p, place := range random.Perm(others) {
		times[p] = step * float64(1+place)
		if m == Skewed {
			times[p] = leastDelay + (mostDelay-leastDelay)*random.Float64()
		}
	}
	c.tie(times, random.Perm(others)[:min(Tied(r.N), others)])
	return c
}

// tie gives all tied processes the same time: in one table the longest time of all, in the other the time of
// the first tied process.
func (c *crash) tie(times []float64, tied []int) {
	anywhere, atMaximum := slices.Clone(times), slices.Clone(times)
	if len(tied) > 0 {
		// The process with the longest time is one of the tied processes. If it was not drawn as one, it
		// takes the time of the first of them. Otherwise there would be one tied process too many.
		owner := slices.Index(times, slices.Max(times))
		if !slices.Contains(tied, owner) {
			atMaximum[owner] = times[tied[0]]
		}
		for _, p := range tied {
			atMaximum[p], anywhere[p] = times[owner], times[tied[0]]
		}
	}
	c.pending = map[Ties]map[uint64]float64{TiedAtMaximum: c.byID(atMaximum), TiedAnywhere: c.byID(anywhere)}
}

// byID returns times by the IDs of their processes.
func (c *crash) byID(times []float64) map[uint64]float64 {
	all := make(map[uint64]float64, len(times))
	for p, t := range times {
		all[uint64(c.ids[p])] = t
	}
	return all
}

func upTo(n int) []election.ID {
	ids := make([]election.ID, n)
	for i := range ids {
		ids[i] = election.ID(i + 1)
	}
	return ids
}

// try runs one trial of a method: the largest process is elected, hands out waiting times if the method has
// them, and crashes. It returns what happens after the crash.
func (c *crash) try(ctx context.Context, m Method) (Trial, error) {
	t := Trial{Noticed: len(c.notice)}
	w := &watch{}
	config, err := c.config(m, w)
	if err != nil {
		return t, err
	}
	s, err := sim.New(config)
	if err != nil {
		return t, err
	}
	// Stop just before the crash, to count what follows it only.
	s.Extend(config.CrashAt[0].Time - 1)
	if err := s.Run(ctx); err != nil {
		return t, err
	}
	before := s.Result()
	s.Extend(0)
	successor := len(c.ids) - 2
	for led := false; s.Step(); {
		if !led && s.Outcome(successor).Role == election.Leader {
			led, t.ByTop = true, w.last != election.Recv
		}
	}
	if err := s.Run(ctx); err != nil { // nothing is left to happen, unless something went wrong
		return t, err
	}
	after := s.Result()
	if err := config.Elected(&after.Result); err != nil {
		return t, err
	}
	t.Messages = after.Messages - before.Messages
	t.Started = int(after.Count("election") - before.Count("election"))
	if t.ByTop {
		t.Started++ // it has no process to ask
	}
	t.Served = int(announced(config.Algorithm, &after)-announced(config.Algorithm,
		&before)) / (len(c.ids) - 2)
	return t, nil
}

// announced returns how many messages announce a leader.
func announced(a *election.Algorithm, r *sim.Result) (n uint64) {
	for _, k := range a.Kinds {
		if k.Announces {
			n += r.Count(k.Name)
		}
	}
	return n
}

// config is the run of a method.
func (c *crash) config(m Method, w *watch) (sim.Config, error) {
	last := c.ids[len(c.ids)-1]
	delay, values := time.Duration(sim.Unit), map[string]params.Value{}
	config := sim.Config{Seed: c.seed}
	if c.model == Skewed {
		delay = mostDelay * sim.Unit
		config.Schedule, config.Delay = sim.RandomDelay, sim.Delay{Min: leastDelay * sim.Unit, Max: delay}
		values["accept_timeout"] = params.Value{Number: skew} // makes the slots of rank long enough
	}
	w.coordinator = last
	if m.Wait != "" {
		values["wait"] = params.Value{Text: m.Wait}
		ties := m.Ties
		if ties == "" {
			ties = TiedAtMaximum
		}
		values["pending"] = params.Value{ByID: c.pending[ties]}
	}
	a, err := find(m.Variant, values, c.ids, delay)
	if err != nil {
		return config, err
	}
	switch m.Variant { // as many latencies are drawn before the crash whatever the method
	case "base":
		w.skip = 2 * (len(c.ids) - 1)
	case "number":
		w.skip = len(c.ids) - 1
	}
	config.Algorithm = w.over(a)
	crashes := untilCrash * delay
	config.IDs = c.ids
	config.CrashAt = []scenario.At{{ID: last, Time: crashes}}
	config.Initiators = append([]election.ID{last}, c.notice...)
	config.StartTimes = []time.Duration{0}
	for _, at := range c.at {
		config.StartTimes = append(config.StartTimes, crashes+at)
	}
	return config, config.Check() // which completes it: its Winner needs the topology
}

// find returns a variant of modbully with parameters.
func find(variant string, values map[string]params.Value, ids []election.ID,
	delay time.Duration) (*election.Algorithm, error) {
	a, known := variants()[variant]
	if !known {
		var err error
		if a, err = catalog.Find("modbully", variant); err != nil {
			return nil, err
		}
	}
	return scenario.Configure(a, values, ids, delay)
}

// variants returns the variants of modbully. An experiment of thousands of crashes asks for one at each
// crash, and the catalog would construct all algorithms each time.
var variants = sync.OnceValue(func() map[string]*election.Algorithm {
	all := make(map[string]*election.Algorithm)
	for _, a := range catalog.All() {
		if a.Name == "modbully" {
			all[a.Variant] = a
		}
	}
	return all
})

// watch stands between the simulator and the Nodes of a run.
type watch struct {
	coordinator election.ID
	skip        int         // how many random numbers are left out before the first election
	last        election.Op // what the last Step was about
}

// over returns a with each Node watched.
func (w *watch) over(a *election.Algorithm) *election.Algorithm {
	watched := *a
	watched.New = func(s election.Setup) election.Node { return &detecting{Node: a.New(s), watch: w} }
	return &watched
}

// detecting is a Node with a failure detector. For every process except the coordinator, Start means that the
// detector reports the crash of the coordinator. Unlike an ordinary Start, it starts no election if another
// coordinator leads by then.
type detecting struct {
	election.Node
	watch *watch
}

func (d *detecting) Step(e *election.Env, ev *election.Event) {
	d.watch.last = ev.Op
	if ev.Op != election.Start {
		d.Node.Step(e, ev)
		return
	}
	if e.Self().ID == d.watch.coordinator {
		// Draw numbers and drop them: after this all variants draw the same latencies in the crash that is
		// compared.
		for range d.watch.skip {
			e.Choose(2)
		}
		d.Node.Step(e, ev)
		return
	}
	for port := range election.Port(e.Ports()) {
		if e.Peer(port).ID == d.watch.coordinator {
			// Copy the event, which belongs to the driver.
			word := *ev
			word.Op, word.Port = election.Suspect, port
			d.Node.Step(e, &word)
		}
	}
}
