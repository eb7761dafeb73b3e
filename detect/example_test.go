package detect_test

import (
	"context"
	"fmt"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/detect"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lcr"
)

// LCR is for rings on which no process crashes. With a detector below, five processes elect on a complete
// graph; the leader crashes, and a second later the next is agreed.
func ExampleUnder() {
	a, err := detect.Under(lcr.Max(), detect.Deadline{Interval: 100 * time.Millisecond})
	if err != nil {
		panic(err)
	}
	s, err := sim.New(sim.Config{Until: 12 * time.Second, Schedule: sim.RandomDelay,
		Delay: sim.Delay{Min: time.Millisecond, Max: 5 * time.Millisecond},
		Input: scenario.Input{Algorithm: a, IDs: []election.ID{4, 1, 5, 2, 3},
			CrashAt: []scenario.At{{ID: 5, Time: 10*time.Second + 1}}}})
	if err != nil {
		panic(err)
	}
	s.Extend(10 * time.Second)
	for range 2 {
		if err := s.Run(context.Background()); err != nil {
			panic(err)
		}
		r := s.Result()
		fmt.Println(a.Title(), "- leader", r.Leader, "of", r.Live, r.Err())
		s.Extend(12 * time.Second)
	}

	_, err = detect.Under(lcr.Max(), detect.Deadline{Interval: time.Second, Timeout: time.Second})
	fmt.Println(err)
	// Output:
	// lcr/max with deadline - leader 5 of 5 <nil>
	// lcr/max with deadline - leader 4 of 4 <nil>
	// election: bad input: Timeout: 1s is not longer than Interval + Delay, 1s: beats may be that far apart
}

// A service has measured its network, and says what it can bear.
func ExampleFromQoS() {
	d, err := detect.FromQoS(detect.Requirements{
		Detection:    time.Second,
		MistakeEvery: 30 * 24 * time.Hour,
		MistakeFor:   time.Minute,
	}, detect.Network{Loss: 0.01, Mean: time.Millisecond, Deviation: 2 * time.Millisecond})
	if err != nil {
		panic(err)
	}
	fmt.Println(d.Interval.Round(time.Millisecond), d.Margin.Round(time.Millisecond))
	// Output:
	// 248ms 751ms
}
