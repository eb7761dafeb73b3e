package detect

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
)

var (
	Long   = flag.Bool("long", false, "make all tables and curves, and soak for longer")
	update = flag.Bool("update", false, "regenerate the tables of docs/detectors.md")
)

// network is what beats go through, and what happens to both ends.
type network struct {
	name    string
	loss    float64
	least   time.Duration // a delay is that, and an exponential part of this mean
	jitter  time.Duration
	peer    pauses        // of the process that is watched
	own     pauses        // of the one that watches
	congest time.Duration // every other period of this length, a delay is 200 ms longer on average
}

// pauses come at random, and last for an exponential time each.
type pauses struct{ every, last time.Duration }

func exponential(r *rand.Rand, mean time.Duration) time.Duration {
	return time.Duration(r.ExpFloat64() * float64(mean))
}

// span is one pause.
type span struct{ from, until time.Duration }

func (p pauses) draw(r *rand.Rand, end time.Duration) (all []span) {
	if p.every == 0 {
		return nil
	}
	for at := exponential(r, p.every); at < end; at += exponential(r, p.every) {
		until := at + exponential(r, p.last)
		all = append(all, span{at, until})
		at = until
	}
	return all
}

// after returns when something happens that is due at a time: at the end of a pause, if it falls into one.
// Times that are asked for must not fall.
func after(all *[]span, at time.Duration) time.Duration {
	for len(*all) > 0 && (*all)[0].until <= at {
		*all = (*all)[1:]
	}
	if len(*all) > 0 && (*all)[0].from <= at {
		return (*all)[0].until
	}
	return at
}

// arrival is a beat that arrives.
type arrival struct {
	at     time.Duration
	number uint64
}

// beats returns the beats that arrive, of a process that crashes at a time.
func (n *network) beats(r *rand.Rand, interval, crash time.Duration) (all []arrival) {
	paused := n.peer.draw(r, crash)
	for number := uint64(1); ; {
		at := after(&paused, time.Duration(number-1)*interval)
		if at >= crash {
			break
		}
		number = uint64(at/interval) + 1
		delay := n.least + exponential(r, n.jitter)
		if n.congest > 0 && at/n.congest%2 == 1 {
			delay += exponential(r, 200*ms)
		}
		if r.Float64() >= n.loss {
			all = append(all, arrival{at + delay, number})
		}
		number++
	}
	slices.SortFunc(all, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
	return all
}

// watched plays what a process sees of another that crashes at a time, until a minute later, and calls raised
// with each Suspect that is no repetition and each Trust, until that returns false.
func (n *network) watched(t *testing.T, d Detector, seed uint64, crash time.Duration,
	raised func(election.Event) bool) {
	b := newBench(t, d, 1)
	r := rand.New(rand.NewPCG(seed, 7))
	beats := n.beats(r, b.machine.plan.interval, crash)
	paused := n.own.draw(r, crash)
	b.init(0)
	for {
		ev := election.Event{Op: election.Timeout, At: math.MaxInt64}
		for _, timer := range []uint8{timerBeat, timerWatch} {
			if due, runs := b.timers[timer]; runs && due < ev.At {
				ev.At, ev.Timer = due, timer
			}
		}
		if len(beats) > 0 && beats[0].at <= ev.At {
			ev = election.Event{Op: election.Recv, At: beats[0].at,
				Msg: election.Message{Kind: kindBeat, Value: beats[0].number}}
			beats = beats[1:]
		} else {
			delete(b.timers, ev.Timer)
		}
		if ev.At = after(&paused, ev.At); ev.At > crash+time.Minute {
			return
		}
		for _, e := range b.step(ev) {
			if !raised(e) {
				return
			}
		}
	}
}

// detection returns how long it takes until a crash is suspected: the least time, the mean and the most.
func (n *network) detection(t *testing.T, d Detector, crashes int) (least, mean, most time.Duration) {
	least = math.MaxInt64
	for seed := range uint64(crashes) {
		crash := 20*time.Second + time.Duration(rand.New(rand.NewPCG(seed, 8)).Int64N(int64(time.Second)))
		suspected := time.Duration(-1)
		n.watched(t, d, seed, crash, func(ev election.Event) bool {
			if ev.Op == election.Trust {
				suspected = -1
			} else {
				suspected = ev.At
			}
			return suspected < crash
		})
		took := max(suspected-crash, 0) // a wrong suspicion may have turned right
		least, most = min(least, took), max(most, took)
		mean += took / time.Duration(crashes)
	}
	return least, mean, most
}

// mistakes returns how many times a process that is up is suspected in a time, and how long that lasts on
// average.
func (n *network) mistakes(t *testing.T, d Detector, long time.Duration) (count int, lasts time.Duration) {
	var since time.Duration
	n.watched(t, d, 1, long, func(ev election.Event) bool {
		switch {
		case ev.At >= long:
			return false
		case ev.Op == election.Suspect:
			count, since = count+1, ev.At
		default:
			lasts += ev.At - since
		}
		return true
	})
	return count, lasts / time.Duration(max(count, 1))
}

// networks are those of docs/detectors.md.
var networks = []network{
	{name: "A quiet local network: delays of 0.2 ms and some", least: ms / 5, jitter: 3 * ms / 10},
	{name: "The same, and 1 % of the beats are lost", least: ms / 5, jitter: 3 * ms / 10, loss: 0.01},
	{name: "The same, and 10 % are lost", least: ms / 5, jitter: 3 * ms / 10, loss: 0.1},
	{name: "A wide area: delays of 40 ms, 30 ms of jitter, 1 % lost", least: 40 * ms, jitter: 30 * ms,
		loss: 0.01},
	{name: "Congestion: every other minute delays have 200 ms of jitter", least: 2 * ms, jitter: ms,
		congest: time.Minute},
	{name: "The process that is watched pauses once a minute, for 0.4 s on average", least: ms / 5,
		jitter: 3 * ms / 10, peer: pauses{time.Minute, 400 * ms}},
	{name: "The process that watches does", least: ms / 5, jitter: 3 * ms / 10,
		own: pauses{time.Minute, 400 * ms}},
}

// measured are the detectors of docs/detectors.md.
func measured(t *testing.T) (names []string, all []Detector) {
	qos, err := FromQoS(Requirements{time.Second, 30 * 24 * time.Hour, time.Minute},
		Network{Loss: 0.01, Mean: ms, Deviation: 2 * ms})
	require.NoError(t, err)
	return []string{"`Deadline{}`", "`Deadline{Timeout: 450ms}`", "`Phi{}`", "`Phi{Exponential: true}`",
			"`Chen{}`", "`Chen{Margin: 350ms}`", "`Chen` of `FromQoS`"},
		[]Detector{Deadline{}, Deadline{Timeout: 450 * ms}, Phi{}, Phi{Exponential: true}, Chen{},
			Chen{Margin: 350 * ms}, qos}
}

const (
	manyCrashes = 100
	manyHours   = 6
)

// row returns what one detector does on a network.
func (n *network) row(t *testing.T, name string, d Detector) string {
	least, mean, most := n.detection(t, d, manyCrashes)
	count, lasts := n.mistakes(t, d, manyHours*time.Hour)
	each := "-"
	if count > 0 {
		each = fmt.Sprintf("%.0f", lasts.Seconds()*1000)
	}
	return fmt.Sprintf("| %s | %.0f to %.0f, mean %.0f | %.4g | %s |\n", name, least.Seconds()*1000,
		most.Seconds()*1000, mean.Seconds()*1000, float64(count)/manyHours, each)
}

// table returns the table of one network.
func (n *network) table(t *testing.T) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n| detector | a crash is suspected after (ms) | mistakes an hour | each for "+
		"(ms) |\n|---|--:|--:|--:|\n", n.name)
	names, all := measured(t)
	for i, d := range all {
		b.WriteString(n.row(t, names[i], d))
	}
	return b.String()
}

// TestQuality: docs/detectors.md holds what the simulation gives: one row, and all in a long run.
func TestQuality(t *testing.T) {
	const file, begin, end = "../docs/detectors.md", "<!-- tables -->\n", "<!-- /tables -->"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), begin)
	require.True(t, found)
	old, behind, found := strings.Cut(rest, end)
	require.True(t, found)
	if !*Long && !*update {
		names, all := measured(t)
		require.Contains(t, old, networks[2].row(t, names[2], all[2]),
			"run: go test ./detect -run TestQuality "+
				"-update")
		return
	}
	var tables []string
	for i := range networks {
		tables = append(tables, networks[i].table(t))
	}
	all := strings.Join(tables, "\n")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(before+begin+all+end+behind), 0o600))
		return
	}
	require.Equal(t, all, old, "run: go test ./detect -run TestQuality -update")
}

// TestDeadlineFormula: where beats are lost independently and delays hardly vary, a Deadline makes as many
// mistakes as its comment says, and detects a crash in the time that it says.
func TestDeadlineFormula(t *testing.T) {
	for _, c := range []struct {
		loss    float64
		beats   int
		mistake float64
	}{{0.3, 1, 0}, {0.3, 3, 0}, {0.1, 2, 0}} {
		n := network{loss: c.loss, least: ms, jitter: ms / 10}
		d := Deadline{Timeout: time.Duration(c.beats)*100*ms + 50*ms}
		if c.beats == 1 {
			d.Timeout += ms
		}
		const long = 2000 * time.Second
		count, _ := n.mistakes(t, d, long)
		want := (1 - c.loss) * math.Pow(c.loss, float64(c.beats)) * float64(long/(100*ms))
		require.InDelta(t, want, count, 5*math.Sqrt(want), "%v", c)
		least, _, most := n.detection(t, d, 50)
		require.Greater(t, least, d.Timeout-time.Duration(c.beats+1)*100*ms, "a suspicion may have begun")
		require.LessOrEqual(t, most, d.Timeout+3*ms)
	}
}
