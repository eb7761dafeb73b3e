package modbully_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/modbully"
)

var variants = []modbully.Variant{modbully.Base, modbully.Convenience, modbully.Number, modbully.Grant}

func build(t testing.TB, v modbully.Variant, c modbully.Config) *election.Algorithm {
	t.Helper()
	a, err := modbully.New(v, c)
	require.NoError(t, err)
	return a
}

// upTo returns the IDs from low to high.
func upTo(low, high int) []election.ID {
	ids := make([]election.ID, 0, high)
	for id := low; id <= high; id++ {
		ids = append(ids, election.ID(id))
	}
	return ids
}

func run(t testing.TB, c sim.Config) sim.Result {
	t.Helper()
	if c.Until == 0 {
		c.Until = 10_000 * sim.Unit
	}
	r, err := sim.Run(t.Context(), c)
	require.NoError(t, err)
	return r
}

func find(name, variant string) (*election.Algorithm, error) {
	for _, a := range modbully.Algorithms() {
		if a.Name == name && a.Variant == variant {
			return a, nil
		}
	}
	return nil, fmt.Errorf("%w: %s/%s", election.ErrInput, name, variant)
}

func TestScenarios(t *testing.T) {
	f, err := os.Open("../testdata/scenarios/modbully.json")
	require.NoError(t, err)
	defer f.Close()
	list, err := scenario.Read(f)
	require.NoError(t, err)
	require.Len(t, list, 11)
	for _, s := range list {
		in, err := s.Input(find)
		require.NoError(t, err)
		r := run(t, sim.Config{Input: in})
		require.NoError(t, r.Err(), s.Name)
		require.NoError(t, s.Expect.Compare(&r.Result, &r.Time), s.Name)
	}
}

// live reports whether id is up, of 1..n: the bits of up stand for 1..n-1, and n is down.
func live(up uint, id int) bool { return up>>(id-1)&1 == 1 }

// want returns the counts of an election among 1..n in which i notices that n is down.
func want(v modbully.Variant, n, i int, up uint) map[string]int {
	m, below, above := i, 0, 0
	for id := 1; id < n; id++ {
		if live(up, id) && id > i {
			m = id
			above++
		}
	}
	for id := 1; id < m; id++ {
		if live(up, id) {
			below++
		}
	}
	asked := n - m // the dead between m and n, and m itself
	if i == m {
		asked = n - 1 - i
	}
	counts := map[string]int{"election": asked, "accept": min(1, above), "coordinator": m - 1}
	switch v {
	case modbully.Convenience:
		counts["coordinator_pcrq"], counts["pcrp"], counts["mpc"] = m-1, below, below
		delete(counts, "coordinator")
	case modbully.Number:
		counts["reply"] = below
	case modbully.Grant:
		counts["election"], counts["ok"], counts["grant"] = n-1-i, above, min(1, above)
		delete(counts, "accept")
	}
	return counts
}

func sum(counts map[string]int) (total int) {
	for _, n := range counts {
		total += n
	}
	return total
}

func requireCounts(t *testing.T, want map[string]int, r *sim.Result, about string) {
	t.Helper()
	for kind, n := range want {
		require.EqualValues(t, n, r.Count(kind), "%s: %s", about, kind)
	}
	require.EqualValues(t, sum(want), r.Messages, about)
}

// down returns the processes of 1..n that are down: n, and those below whose bit is not set.
func down(n int, up uint) []election.ID {
	var ids []election.ID
	for id := 1; id <= n; id++ {
		if id == n || !live(up, id) {
			ids = append(ids, election.ID(id))
		}
	}
	return ids
}

// TestEveryPattern lets each process that is up notice that n is down, for every set of others
// that are down, up to eight processes.
func TestEveryPattern(t *testing.T) {
	for _, v := range variants {
		runs := 0
		for n := 2; n <= 8; n++ {
			a := build(t, v, modbully.Config{Coordinator: election.ID(n)})
			for up := uint(1); up < 1<<(n-1); up++ {
				largest := 0
				for id := 1; id < n; id++ {
					if live(up, id) {
						largest = id
					}
				}
				for i := 1; i < n; i++ {
					if !live(up, i) {
						continue
					}
					r := run(t, sim.Config{Input: scenario.Input{Algorithm: a, IDs: upTo(1, n),
						Initiators: []election.ID{election.ID(i)}, Crashed: down(n, up)}})
					about := fmt.Sprintf("%s n=%d i=%d up=%b", v, n, i, up)
					require.NoError(t, r.Err(), about)
					require.EqualValues(t, largest, r.Leader, about)
					requireCounts(t, want(v, n, i, up), &r, about)
					runs++
				}
			}
		}
		require.Equal(t, 769, runs) // the sum of (n-1)*2^(n-2)
	}
}

// TestTogether lets every set of processes notice at once that n is down, and f below it too.
func TestTogether(t *testing.T) {
	for _, v := range variants {
		for n := 2; n <= 8; n++ {
			a := build(t, v, modbully.Config{Coordinator: election.ID(n)})
			for f := 0; f < n-1; f++ {
				m := n - 1 - f
				up := uint(1)<<m - 1
				for set := 1; set < 1<<m; set++ {
					var starters []election.ID
					for id := 1; id <= m; id++ {
						if set>>(id-1)&1 == 1 {
							starters = append(starters, election.ID(id))
						}
					}
					r := run(t, sim.Config{Input: scenario.Input{Algorithm: a, IDs: upTo(1, n),
						Initiators: starters, Crashed: down(n, up)}})
					about := fmt.Sprintf("%s n=%d f=%d starters %v", v, n, f, starters)
					require.NoError(t, r.Err(), about)
					require.EqualValues(t, m, r.Leader, about)
					requireCounts(t, together(v, n, f, starters), &r, about)
				}
			}
		}
	}
}

// together returns the counts when several notice at once and all below m, which is n-1-f, are up.
func together(v modbully.Variant, n, f int, starters []election.ID) map[string]int {
	m, k := n-1-f, len(starters)
	top := 0
	if slices.Contains(starters, election.ID(m)) {
		top = 1
	}
	counts := map[string]int{"election": (k-top)*(f+1) + top*f, "accept": k - top}
	switch v {
	case modbully.Base:
		counts["coordinator"] = k * (m - 1)
	case modbully.Convenience:
		counts["coordinator_pcrq"], counts["pcrp"], counts["mpc"] = m-1, m-1, m-1
	case modbully.Number:
		counts["coordinator"], counts["reply"], counts["accept"] = m-1, m-1, 1-top
	case modbully.Grant:
		counts = map[string]int{"grant": k - top, "coordinator": k * (m - 1)}
		for _, i := range starters {
			counts["election"] += n - 1 - int(i)
			counts["ok"] += m - int(i)
		}
		if top == 1 && f == 0 { // it announces itself at once, before anybody grants
			counts["grant"], counts["coordinator"] = 0, m-1
		}
	}
	return counts
}

// TestBestAndWorst are the extremes of single elections among n, the old leader included.
func TestBestAndWorst(t *testing.T) {
	for n := 3; n <= 30; n++ {
		all := uint(1)<<(n-1) - 1
		for v, total := range map[modbully.Variant]func(i int) int{
			modbully.Base:        func(int) int { return n },
			modbully.Convenience: func(int) int { return 3*n - 4 },
			modbully.Number:      func(int) int { return 2*n - 2 },
			modbully.Grant:       func(i int) int { return 3*n - 2*i - 3 },
		} {
			for i := 1; i < n-1; i++ {
				require.Equal(t, total(i), sum(want(v, n, i, all)))
				f := n - 2 - i // all between i+1 and n are down
				if v == modbully.Convenience || v == modbully.Number {
					each := 2
					if v == modbully.Number {
						each = 1
					}
					require.Equal(t, total(i)-each*f, sum(want(v, n, i, 1<<(i+1)-1)))
				}
			}
		}
		for i := 1; i < n; i++ { // all above i are down
			up := uint(1)<<i - 1
			require.Equal(t, n-2, sum(want(modbully.Base, n, i, up)))
			require.Equal(t, n+2*i-4, sum(want(modbully.Convenience, n, i, up)))
			require.Equal(t, n+i-3, sum(want(modbully.Number, n, i, up)))
			require.Equal(t, n-2, sum(want(modbully.Grant, n, i, up)))
		}
		for v, twice := range map[modbully.Variant]int{modbully.Convenience: 2 * (2*n - 4),
			modbully.Number: 3*n - 6} {
			mean := 0 // over all i: the messages if all above i are down
			for i := 1; i < n; i++ {
				mean += sum(want(v, n, i, 1<<i-1))
			}
			require.Equal(t, twice*(n-1), 2*mean)
		}
		require.Equal(t, 3*n-6, sum(want(modbully.Convenience, n, n-1, all)))
		require.Equal(t, 2*n-4, sum(want(modbully.Number, n, n-1, all)))
	}
	for _, v := range variants { // no pattern of crashes takes more than the old leader alone
		const n = 9
		most := 0
		for up := uint(1); up < 1<<(n-1); up++ {
			for i := 1; i < n; i++ {
				if live(up, i) {
					most = max(most, sum(want(v, n, i, up)))
				}
			}
		}
		require.Equal(t, sum(want(v, n, 1, 1<<(n-1)-1)), most, v)
	}
}

// TestTime: each one that is down costs the time-out of an answer.
func TestTime(t *testing.T) {
	for v, units := range map[modbully.Variant]int{modbully.Base: 2, modbully.Convenience: 4,
		modbully.Number: 3, modbully.Grant: 5} {
		for f := range 6 {
			const n = 10
			r := run(t, sim.Config{Input: scenario.Input{
				Algorithm: build(t, v, modbully.Config{Coordinator: n}), IDs: upTo(1, n),
				Initiators: upTo(2, 2),
				Crashed:    down(n, 1<<(n-1-f)-1)}})
			after := units
			if v != modbully.Grant {
				after += 3 * f
			}
			require.Equal(t, time.Duration(after)*sim.Unit, r.Time, "%s f=%d", v, f)
		}
	}
}

// TestAllStart: what the descriptor promises where all start and none is down, in any order of
// the IDs, on any schedule that the delays allow.
func TestAllStart(t *testing.T) {
	seeds := uint64(20)
	if !*long {
		seeds /= 4
	}
	for _, v := range variants {
		for n := 1; n <= 40; n++ {
			a := build(t, v, modbully.Config{})
			r := run(t, sim.Config{Input: scenario.Input{Algorithm: a, IDs: upTo(1, n)}})
			require.NoError(t, r.Err())
			require.EqualValues(t, n, r.Leader)
			require.InDelta(t, a.Best.Count(n), r.Messages, 1e-9, "%s n=%d", v, n)
			require.Equal(t, 1, r.Claimants)
			for seed := range seeds {
				ids := upTo(1, n)
				rand.New(rand.NewPCG(seed, 5)).Shuffle(n, func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
				r := run(t, sim.Config{Input: scenario.Input{Algorithm: a, IDs: ids},
					Schedule: sim.RandomDelay,
					Delay:    sim.Delay{Max: sim.Unit}, Seed: seed})
				require.NoError(t, r.Err())
				require.EqualValues(t, n, r.Leader)
				require.InDelta(t, a.Best.Count(n), r.Messages, 1e-9, "%s n=%d seed %d", v, n, seed)
			}
		}
	}
}

// TestBoundOfOrderedLinks: of one variant alone the count needs links that keep messages in order.
func TestBoundOfOrderedLinks(t *testing.T) {
	for _, v := range variants {
		require.Equal(t, v == modbully.Convenience, build(t, v, modbully.Config{}).Best.Ordered, "%s", v)
	}
}
