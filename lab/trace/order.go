package trace

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-election/election/internal/order"
	"github.com/go-election/election/observe"
)

// byTime returns a trace whose events stand in the order of their times, as far as the causal order allows
// that: the trace itself where they do so already, as in virtual time. Goroutines are reported
// in the order in which they were heard, which is another.
func byTime(t *Trace) *Trace {
	if slices.IsSortedFunc(t.Events, func(a, b Event) int { return cmp.Compare(a.At, b.At) }) {
		return t
	}
	type timed struct {
		at time.Duration // not before what it follows from
		i  int
	}
	all := make([]timed, len(t.Events))
	last, sent := make(map[Ref]time.Duration), make(map[Ref]time.Duration)
	for i := range t.Events {
		e := &t.Events[i]
		process := Ref{Process: e.Process}
		at := e.At
		for _, before := range []struct {
			of  map[Ref]time.Duration
			ref Ref
		}{{last, process}, {sent, e.From}} {
			// Clocks of several processes differ. An event is never shown before its cause, whatever its
			// clock.
			if was, known := before.of[before.ref]; known {
				at = max(at, was)
			}
		}
		if last[process] = at; e.Do == observe.Send {
			sent[e.Ref()] = at
		}
		all[i] = timed{at, i}
	}
	// Stable: at one instant the order of the trace is a causal one.
	order.Stable(all, func(a, b timed) int { return cmp.Compare(a.at, b.at) })
	sorted := &Trace{Header: t.Header, Events: make([]Event, len(all))}
	for k := range all {
		sorted.Events[k] = t.Events[all[k].i]
	}
	return sorted
}

// How many decimals a time is written with.
const (
	fewDecimals  = 3
	mostDecimals = 9
)

// decimals returns how many decimals keep the times of a trace apart: three, or more if time is real,
// so that no two look the same. In virtual time a tenth may.
func (t *Trace) decimals() int {
	times := make([]time.Duration, len(t.Events))
	for i := range t.Events {
		times[i] = t.Events[i].At
	}
	order.Stable(times, cmp.Compare)
	times = slices.Compact(times)
	allowed := 0
	if t.Header.Driver == "sim" {
		allowed = len(times) / 10
	}
	for n := fewDecimals; n < mostDecimals; n++ {
		// Count the neighbours that would be written alike with n decimals.
		grain, alike := math.Pow10(mostDecimals-n), 0
		for i := range times[min(1, len(times)):] {
			if math.Round(float64(times[i])/grain) == math.Round(float64(times[i+1])/grain) {
				alike++
			}
		}
		if alike <= allowed {
			return n
		}
	}
	return mostDecimals
}

// time writes when something was, the same in words and in pictures.
func (s *story) time(t time.Duration) string {
	if s.decimals == fewDecimals || t == 0 {
		return short(t)
	}
	return strconv.FormatFloat(float64(t)/float64(time.Second), 'f', s.decimals, 64)
}

// short writes a time in units, with up to three decimals.
func short(t time.Duration) string {
	text := strconv.FormatFloat(float64(t)/float64(time.Second), 'f', fewDecimals, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}
