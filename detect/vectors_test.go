package detect

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/params"
)

const ms = time.Millisecond

// logisticPhi is φ as Akka computes it, by a logistic approximation of the normal distribution.
func logisticPhi(y float64) float64 {
	e := math.Exp(-y * (1.5976 + 0.070566*y*y))
	if y > 0 {
		return -math.Log10(e / (1 + e))
	}
	return -math.Log10(1 - 1/(1+e))
}

// TestNormalPhi: φ of a mean of 1000 and a deviation of 100, by the exact tail; Akka's approximation is close
// up to a φ of 2, and suspects earlier beyond.
func TestNormalPhi(t *testing.T) {
	for _, c := range []struct{ t, logistic, exact float64 }{
		{900, 0.075033, 0.075026}, {1000, 0.301030, 0.301030}, {1100, 0.799508, 0.799546},
		{1200, 1.642828, 1.643016}, {1300, 2.909475, 2.869699}, {1400, 4.736695, 4.499335},
		{1500, 7.299947, 6.542646}, {1600, 10.782601, 9.005864},
	} {
		y := (c.t - 1000) / 100
		require.InDelta(t, c.exact, normalPhi(y), 1e-6, "%v", c.t)
		require.InDelta(t, c.logistic, logisticPhi(y), 1e-6, "%v", c.t)
	}
	require.InDelta(t, 8, logisticPhi(5.22599), 1e-4)
	require.InDelta(t, 12, logisticPhi(6.292), 2e-3)
}

// TestNormalQuantile: φ reaches a threshold where it should, up to the largest that a Phi takes, and is
// finite where the tail of the distribution is below every float64.
func TestNormalQuantile(t *testing.T) {
	require.InDelta(t, 5.61200, normalQuantile(8), 1e-5)
	require.InDelta(t, 7.034, normalQuantile(12), 1e-3)
	require.InDelta(t, 0, normalQuantile(math.Log10(2)), 1e-9)
	for phi := 1.0; phi <= mostThreshold; phi++ {
		require.InDelta(t, phi, normalPhi(normalQuantile(phi)), 1e-9)
	}
	require.LessOrEqual(t, normalQuantile(normalPhi(5)), 5.0, "it is reached, not passed")
	require.InDelta(t, 307.65, normalPhi(1e9), 0.01)
	require.InDelta(t, 0, normalPhi(-1e9), 1e-9)
}

// TestClamped: the longest time-out is no float64, and the next one is too long.
func TestClamped(t *testing.T) {
	require.Equal(t, params.MaxTimeout, clamped(float64(params.MaxTimeout)))
	require.EqualValues(t, 5, clamped(5.9))
}

// heard returns a process after beats at these times, and the detector as its plan completes it.
func heard(t *testing.T, d Detector, at ...time.Duration) (*peer, *plan) {
	t.Helper()
	plan, err := d.plan(0)
	require.NoError(t, err)
	p := &peer{}
	for i, at := range at {
		plan.judge.hear(p, at, &election.Message{Value: uint64(i + 1)}, true)
		p.heard, p.last = true, at
	}
	return p, plan
}

// silence returns for how long a process is trusted after its last beat.
func silence(t *testing.T, d Detector, at ...time.Duration) time.Duration {
	p, _ := heard(t, d, at...)
	return p.until - at[len(at)-1]
}

// every returns the times of some beats.
func every(interval time.Duration, beats int) (at []time.Duration) {
	for i := range beats {
		at = append(at, time.Duration(i)*interval)
	}
	return at
}

// TestPhiCrossing: when φ reaches 8. The first beat brings two guesses, whose deviation is 250.
func TestPhiCrossing(t *testing.T) {
	exact := func(pause time.Duration) Phi {
		return Phi{Interval: 1000 * ms, Deviation: 100 * ms, Pause: pause, Window: 1000}
	}
	const y = 5.612001
	for _, c := range []struct {
		pause time.Duration
		beats int
		want  float64 // ms
	}{
		{1, 1002, 1000 + 100*y}, // the guesses have left the window
		{3000 * ms, 1002, 4000 + 100*y},
		{1, 1, 1000 + 250*y},
		{1, 11, 1000 + 102.062073*y},
	} {
		got := silence(t, exact(c.pause), every(1000*ms, c.beats)...)
		require.InDelta(t, c.want, got.Seconds()*1000, 1e-3, "%v, %d beats", c.pause, c.beats)
	}
	// By Akka's approximation: what the literature prints.
	require.InDelta(t, 8, logisticPhi((1522.599-1000)/100), 1e-4)
	require.InDelta(t, 8, logisticPhi((2306.496-1000)/250), 1e-4)
	require.InDelta(t, 8, logisticPhi((1533.375-1000)/102.062073), 1e-4)
}

// TestPhiLearnsOfMistakes: where a tenth of the beats is lost, a loss is a mistake at first, and rarely
// one once the window knows of it: else there would be 900. A long cut does not make the detector blind.
func TestPhiLearnsOfMistakes(t *testing.T) {
	n := network{loss: 0.1, least: ms}
	count, _ := n.mistakes(t, Phi{Pause: 1}, 1000*time.Second)
	require.Positive(t, count)
	require.Less(t, count, 100)

	b := newBench(t, Phi{}, 1)
	b.init(0)
	at := time.Duration(0)
	for ; at < 20*time.Second; at += 100 * ms {
		b.until(at)
		b.beat(at, 0, 2)
	}
	before := b.machine.peers[0].until - b.machine.peers[0].last
	require.Len(t, b.until(at+time.Hour), 1)
	b.beat(at+time.Hour, 0, 2)
	require.Less(t, b.machine.peers[0].until-b.machine.peers[0].last, 2*before)
}

// TestExponentialPhi: Cassandra's numbers.
func TestExponentialPhi(t *testing.T) {
	d := Phi{Interval: 1000 * ms, Exponential: true, Window: 10}
	phi := func(t, mean float64) float64 { return t / mean / math.Ln10 }
	require.InDelta(t, 7.999704, phi(18420, 1000), 1e-6)
	require.InDelta(t, 8.000139, phi(18421, 1000), 1e-6)
	require.InDelta(t, 20262.75, silence(t, d, every(1000*ms, 10)...).Seconds()*1000, 0.01)
	// Once the guess has left the window.
	require.InDelta(t, 18420.681, silence(t, d, every(1000*ms, 11)...).Seconds()*1000, 0.001)
	// An interval of more than two Intervals does not count.
	late := append(every(1000*ms, 11), 10_000*ms+2001*ms)
	require.InDelta(t, 18420.681, silence(t, d, late...).Seconds()*1000, 0.001)
	late[11] = 10_000*ms + 2000*ms
	require.InDelta(t, 18420.681*1.1, silence(t, d, late...).Seconds()*1000, 0.001)
}

// TestChen: the example of beats that are numbered, of which one is lost.
func TestChen(t *testing.T) {
	plan, err := Chen{Interval: 100, Margin: 50}.plan(0)
	require.NoError(t, err)
	p := &peer{}
	for _, b := range [][2]int64{{1, 103}, {2, 201}, {3, 305}, {4, 402}, {6, 604}} {
		plan.judge.hear(p, time.Duration(b[1]), &election.Message{Value: uint64(b[0])}, true)
		if p.heard = true; b[0] == 1 {
			require.EqualValues(t, 253, p.until)
		}
	}
	require.EqualValues(t, 753, p.until, "EA_7 is 703")
	plan.judge.hear(p, 690, &election.Message{Value: 5}, true)
	require.EqualValues(t, 753, p.until, "an older beat changes nothing")
	before := *p
	plan.judge.hear(p, 740, &election.Message{Value: 6}, true)
	require.Equal(t, before, *p, "nor does the newest when it comes again")
}

// TestLateness: which beats belong to a schedule that the tenth has begun.
func TestLateness(t *testing.T) {
	const most = params.MaxTimeout / 100
	d, p := Chen{Interval: 100, Margin: 50}, &peer{base: 1000, first: 10}
	for _, c := range []struct {
		beats    int64 // after the first
		off      time.Duration
		expected bool
	}{
		{0, 300, true}, {0, 301, false}, {0, -300, true}, {0, -301, false}, {7, 3, true},
		{int64(most), 0, true}, {int64(most) + 1, 0, false}, {-int64(most), 0, true},
		{-int64(most) - 1, 0, false},
	} {
		late, known := d.lateness(p, 1000+time.Duration(c.beats)*100+c.off, 10+uint64(c.beats))
		if require.Equal(t, c.expected, known, "%+v", c); known {
			require.Equal(t, c.off, late)
		}
	}
}

// TestChenWindow: only the last beats count, and their sum stays exact.
func TestChenWindow(t *testing.T) {
	plan, err := Chen{Interval: 100, Margin: 50, Window: 2}.plan(0)
	require.NoError(t, err)
	p := &peer{}
	for i, late := range []time.Duration{0, 30, 10, 20} {
		plan.judge.hear(p, time.Duration(100*i)+late, &election.Message{Value: uint64(i + 1)}, true)
		if p.heard = true; i == 1 {
			require.EqualValues(t, 200+15+50, p.until, "the first beat counts as well")
		}
	}
	require.EqualValues(t, 400+15+50, p.until)
}

// TestFromQoS: the example of the paper, and three more. The paper prints a shift of 20.29 for it, which
// counts from the sending of a beat; Margin counts from its mean arrival, 0.02 later.
func TestFromQoS(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		r                Requirements
		n                Network
		interval, margin float64
	}{
		{Requirements{30 * time.Second, 30 * day, time.Minute},
			Network{0.01, 20 * ms, time.Duration(math.Sqrt(0.02) * 1e9)}, 9.7098, 20.2702},
		{Requirements{time.Second, 30 * day, time.Minute}, Network{0.01, 0, 2 * ms}, 0.24837, 0.75163},
		{Requirements{time.Second, 30 * day, time.Minute}, Network{0.1, 0, 2 * ms}, 0.12471, 0.87529},
		{Requirements{3 * time.Second, day, time.Minute}, Network{0.02, 0, 40 * ms}, 0.74674, 2.25326},
	} {
		d, err := FromQoS(c.r, c.n)
		require.NoError(t, err)
		require.InDelta(t, c.interval, d.Interval.Seconds(), 6e-5)
		require.InDelta(t, c.margin, d.Margin.Seconds(), 6e-5)
		_, err = d.plan(0)
		require.NoError(t, err)
	}
}

// TestFromQoSMistakeFor: how long a mistake lasts bounds the interval as well, since the next beat ends it.
func TestFromQoSMistakeFor(t *testing.T) {
	r := Requirements{10 * time.Second, time.Second, 2 * time.Second}
	d, err := FromQoS(r, Network{Loss: 0.25, Deviation: 10 * time.Second})
	require.NoError(t, err)
	require.InDelta(t, 0.75*0.5*2, d.Interval.Seconds(), 1e-9)
	d, err = FromQoS(r, Network{})
	require.NoError(t, err)
	require.InDelta(t, 2, d.Interval.Seconds(), 1e-9)
	// Where a single beat does, a tenth is left for the margin.
	d, err = FromQoS(Requirements{time.Second, time.Second / 2, time.Minute}, Network{})
	require.NoError(t, err)
	require.InDelta(t, 0.9, d.Interval.Seconds(), 1e-9)
	require.InDelta(t, 0.1, d.Margin.Seconds(), 1e-8)
	// The shortest interval that there is.
	d, err = FromQoS(Requirements{2, 1, 1}, Network{})
	require.NoError(t, err)
	require.Equal(t, Chen{Interval: 1, Margin: 1}, d)
}

// TestLongestIntervalExact: an interval with exactly as many mistakes as are allowed will do.
func TestLongestIntervalExact(t *testing.T) {
	q := quality{beyond: 1, variance: 0.01, loss: 0.1}
	require.Equal(t, 0.75, q.longestInterval(0.75, q.mistakeEvery(0.75)))
	every := q.mistakeEvery(0.7501)
	found := q.longestInterval(0.9, every)
	require.InDelta(t, 0.7501, found, 1e-12)
	require.Equal(t, every, q.mistakeEvery(found))
	q = quality{beyond: 2, variance: 1}
	require.InDelta(t, math.Ln2, q.mistakeEvery(1), 1e-15)
	q = quality{beyond: 1}
	require.Equal(t, 1.0/mostBeats, q.longestInterval(1.0/mostBeats, 0))
	require.Zero(t, q.longestInterval(1.0/(mostBeats+1), 0), "more beats than a search tries")
}

// TestFromQoSIsLargest: no larger interval of a fine grid does as well, and the one found does.
func TestFromQoSIsLargest(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 40 {
		q := quality{beyond: 0.1 + random.Float64()*5, loss: random.Float64() * 0.3,
			variance: math.Pow(10, -6*random.Float64())}
		every := math.Log(10 + random.Float64()*1e5)
		longest := q.beyond * (0.3 + 0.7*random.Float64())
		found := q.longestInterval(longest, every)
		if found > 0 {
			require.GreaterOrEqual(t, q.mistakeEvery(found), every)
		}
		for step := range 2000 {
			interval := longest * (1 - float64(step)/2000)
			if interval <= found*(1+2e-3) || interval < q.beyond/mostBeats {
				break
			}
			require.Less(t, q.mistakeEvery(interval), every, "%v, found %v", interval, found)
		}
	}
}

// TestFromQoSRefused: each value that cannot be has an error of its own.
func TestFromQoSRefused(t *testing.T) {
	fine, quiet := Requirements{time.Second, time.Hour, time.Minute}, Network{0.01, ms, ms}
	for _, c := range []struct {
		change func(r *Requirements, n *Network)
		want   string
	}{
		{func(r *Requirements, _ *Network) { r.Detection = 0 }, "Detection: 0s is not above 0"},
		{func(r *Requirements, _ *Network) { r.MistakeEvery = -1 }, "MistakeEvery: -1ns is not above 0"},
		{func(r *Requirements, _ *Network) { r.MistakeEvery = 0 }, "MistakeEvery: 0s is not above 0"},
		{func(r *Requirements, n *Network) { r.Detection, n.Mean = 1, 0 },
			"no detector suspects a crash within 1ns"},
		{func(r *Requirements, _ *Network) { r.MistakeFor = 0 }, "MistakeFor: 0s is not above 0"},
		{func(_ *Requirements, n *Network) { n.Loss = 1 }, "Loss: 1 is not a probability below 1"},
		{func(_ *Requirements, n *Network) { n.Loss = math.NaN() }, "Loss: NaN is not a probability below 1"},
		{func(_ *Requirements, n *Network) { n.Mean = -1 }, "Mean: -1ns is below 0"},
		{func(_ *Requirements, n *Network) { n.Deviation = -1 }, "Deviation: -1ns is below 0"},
		{func(_ *Requirements, n *Network) { n.Mean = time.Second },
			"Detection: 1s is not longer than the mean delay, 1s"},
		{func(r *Requirements, n *Network) { n.Deviation, r.MistakeEvery = time.Minute, 1e6*time.Hour },
			"no detector suspects a crash within 1s and makes a mistake every 1000000h0m0s"},
	} {
		r, n := fine, quiet
		c.change(&r, &n)
		d, err := FromQoS(r, n)
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, c.want)
		require.Zero(t, d)
	}
	d, err := FromQoS(fine, Network{})
	require.NoError(t, err, "neither loss nor jitter: one beat is enough")
	require.InDelta(t, 0.5, d.Interval.Seconds(), 0.5)
}

// TestHistoryStaysExact: after a million samples the sums are those of the samples in the window.
func TestHistoryStaysExact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var h history
	const window = 100
	for range 1_000_000 {
		h.add(time.Duration(random.NormFloat64()*1e12)+10*time.Hour, window)
	}
	var sum float64
	var again history
	for _, x := range h.samples {
		sum += float64(x)
		again.add(x, window)
	}
	require.Equal(t, again.sum, h.sum)
	require.Equal(t, [2]uint64{again.high, again.low}, [2]uint64{h.high, h.low})
	mean, squares := sum/window, 0.0
	for _, x := range h.samples {
		squares += (float64(x) - mean) * (float64(x) - mean)
	}
	require.InEpsilon(t, mean, float64(h.mean()), 1e-9)
	require.InEpsilon(t, math.Sqrt(squares/window), float64(h.deviation()), 1e-9)
	// Equal samples have no deviation, however large they are, and none comes out negative.
	for range window {
		h.add(largestSample+1, window)
	}
	require.Equal(t, largestSample, h.mean())
	require.Zero(t, h.deviation())
	h.clear()
	require.Zero(t, h.mean())
	require.Zero(t, h.deviation())
	h.add(-3, window)
	require.EqualValues(t, -3, h.mean())
}

// TestDeviation: of numbers whose deviation is a whole one, small and as large as there are.
func TestDeviation(t *testing.T) {
	for _, unit := range []time.Duration{1, ms, largestSample / 9} {
		var h history
		for _, x := range []time.Duration{2, 4, 4, 4, 5, 5, 7, 9} {
			h.add(x*unit, 8)
		}
		require.Equal(t, 5*unit, h.mean())
		require.InDelta(t, float64(2*unit), float64(h.deviation()), float64(unit)*1e-12)
	}
}

// TestDamagedHistory: sums that cannot be, as of a damaged state, give a deviation all the same.
func TestDamagedHistory(t *testing.T) {
	h := history{samples: []time.Duration{5, 6}, next: 77, sum: 1 << 40, low: 3}
	require.Zero(t, h.deviation())
	h.add(7, 2)
	require.Equal(t, []time.Duration{7, 6}, h.samples)
}
