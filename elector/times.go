package elector

import (
	"math"
	"time"

	"github.com/go-election/election/input"
	"github.com/go-election/election/lease"
)

// Times says how long things take. Fields that are zero have the values of [LAN].
type Times struct {
	// Lease is how long a leader leads unless it renews. A leader that crashes is replaced this much later.
	// It is a millisecond at least.
	Lease time.Duration
	// Renew is how often it renews, at the same moments in all groups of this member. If zero, a quarter of
	// Lease. It is half of Lease at most, and Delay at least.
	Renew time.Duration
	// Stop is how long before the end of the lease the work is stopped. If zero, a quarter of Lease. A
	// renewal is sent at most 9/8 of Renew after the last one, and takes a round trip of two Delay. Both fit
	// into what Stop leaves of a Lease, also by a clock that is Drift too fast; otherwise New refuses the
	// Times.
	Stop time.Duration
	// Drain is how long the work may go on after it was asked to stop for a hand-over: the lease is
	// renewed meanwhile. If zero, 5 s.
	Drain time.Duration
	// Delay is how long a message and its handling mostly take; with a Dir, that includes a save to the
	// disk. Where they take several times as long, votes split, and elections take more attempts. It is a
	// quarter of Lease at most, and leaves time for a renewal, see Stop. If zero, a hundredth of Lease; with
	// a Dir, DiskDelay at least, if that is allowed.
	Delay time.Duration
	// Drift is the largest error of a clock's rate. If zero, 0.001, a millisecond a second.
	Drift float64
}

// DiskDelay is the least Times.Delay of a member with a Dir whose Delay is zero. One save in a hundred
// takes 5 to 11 ms on a disk of its own; in the other half of this time the message travels.
const DiskDelay = 15 * time.Millisecond

// LAN is for members in one data centre.
func LAN() Times { return preset(750 * time.Millisecond) }

// Cloud is for members in several zones, on machines that others use too.
func Cloud() Times { return preset(3 * time.Second) }

// WAN is for members in several regions.
func WAN() Times { return preset(10 * time.Second) }

// preset leaves Delay to New, which knows whether there is a Dir.
func preset(lease time.Duration) Times {
	t := Times{Lease: lease}.Complete()
	t.Delay = 0
	return t
}

// Suggest returns times for a network in which the slowest round trip that matters took so long, see
// [Elector.RoundTrip]. New accepts them, whatever the round trip. The Lease is 50 round trips, from 250 ms to the
// 10 s of WAN, but never less than ten round trips: lost packets make round trips long, and a Lease of ten seconds
// outlasts some retransmissions as well as a longer one does.
func Suggest(roundTrip time.Duration) Times {
	roundTrip = max(min(roundTrip, longestLease/10), 0)
	// A renewal that is sent three times in a lease should arrive once even if each takes four times as long.
	lease := min(max(50*roundTrip, 250*time.Millisecond), max(WAN().Lease, 10*roundTrip))
	return preset(lease.Round(time.Millisecond))
}

// onDisk returns the Times of a member with a Dir.
func (t Times) onDisk() Times {
	if t.Delay == 0 {
		t = t.Complete()
		t.Delay = max(t.Delay, min(DiskDelay, t.mostDelay(), t.Renew, t.spare()/2))
	}
	return t
}

// Complete returns the Times with the values of LAN in fields that are zero, or what follows from Lease.
func (t Times) Complete() Times {
	if t.Lease == 0 {
		t.Lease = 750 * time.Millisecond
	}
	if t.Renew == 0 {
		t.Renew = t.Lease / 4
	}
	if t.Stop == 0 {
		t.Stop = t.Lease / 4
	}
	if t.Drain == 0 {
		t.Drain = 5 * time.Second
	}
	if t.Delay == 0 {
		t.Delay = max(t.Lease/100, 1)
	}
	if t.Drift == 0 {
		t.Drift = 0.001
	}
	return t
}

// The bounds of Times.Lease.
const (
	leastLease   = time.Millisecond    // a quarter of it has to be enough for a renewal, and for a timer
	longestLease = 26 * 24 * time.Hour // package lease takes little more: sums of times must not overflow
)

// mostDelay returns the largest Delay. The first candidate waits for a Delay, asks, and claims after 3 Delay
// (rules 8 and 9 of package lease); a renewal takes 2. Each then fits into a Lease, also if it takes longer
// once.
func (t Times) mostDelay() time.Duration { return t.Lease / 4 }

// spare returns the longest round trip after which a renewal still arrives before the work is stopped. It is
// negative if there is none.
func (t Times) spare() time.Duration {
	// Of the times of a clock that is too fast. Package lease refuses a Drift that is no such fraction.
	fast := 1.0
	if t.Drift > 0 && t.Drift < 0.5 {
		fast += t.Drift
	}
	// The work is stopped at this time after the renewal was sent that counts, so the next comes before.
	left := time.Duration(float64(t.Lease-t.Stop)/fast) - 1
	return left - t.lease(false).Renew
}

// Check returns the error with which New refuses a member that has these Times and leases, nil if it
// accepts them.
func (t Times) Check() error {
	t = t.Complete()
	err := t.check()
	if err == nil {
		_, err = lease.New(t.lease(false))
	}
	return prefixed(err)
}

// check refuses what package lease does not see.
func (t Times) check() error {
	switch {
	case t.Lease < leastLease:
		return input.Errorf("Times.Lease: %v is less than %v", t.Lease, leastLease)
	case t.Stop < 0 || t.Stop > t.Lease/2:
		return input.Errorf("Times.Stop: %v is not between 0 and half of a Lease of %v", t.Stop, t.Lease)
	case t.Renew > t.Lease/2:
		return input.Errorf("Times.Renew: %v is more than half of a Lease of %v", t.Renew, t.Lease)
	case t.Delay < 0 || t.Delay > t.mostDelay():
		return input.Errorf("Times.Delay: %v is not between 0 and a quarter of a Lease of %v, which is %v",
			t.Delay, t.Lease, t.mostDelay())
	case t.Delay > t.Renew:
		return input.Errorf("Times.Renew: %v is less than a Delay of %v, so each renewal would be given up "+
			"for the next one before it is answered", t.Renew, t.Delay)
	case 2*t.Delay > t.spare():
		return input.Errorf("Times.Stop: %v, 9/8 of a Renew of %v, and a round trip of two Delay of %v take "+
			"%v with a Drift of %v, which a Lease of %v does not exceed: the work would be stopped before a "+
			"renewal arrives", t.Stop, t.Renew, t.Delay, t.Lease+2*t.Delay-t.spare(), t.Drift, t.Lease)
	case t.Drain < 0:
		return input.Errorf("Times.Drain: %v is negative", t.Drain)
	}
	return nil
}

func (t Times) lease(durable bool) lease.Config {
	// The guard of a tenure renews every Renew. The Node's own timer is for what the guard does not see: a
	// lease that begins before the work does. At Renew as well, it would often run out just before the
	// beat, and each renewal would be sent twice.
	return lease.Config{Lease: t.Lease, Renew: t.Renew + t.Renew/8, Delay: t.Delay, Drift: t.Drift,
		Durable: durable}
}

// surely returns how long a timer may run so that no clock, by which it may be slow, shows more than d then.
func (t Times) surely(d time.Duration) time.Duration {
	drift := max(t.Drift, 0)
	return max(time.Duration(float64(d)*(1-drift)/(1+drift)), 1)
}

// FailOver returns how long it takes at least and at most from the crash of a leader until the next one
// leads, in a group of that size whose other members are all up, in a network that is as quick as Delay
// says, whatever clocks do within Drift. It takes longer if candidates split the votes twice, which is rare.
// Where members have a Priority it takes up to 10 Delay more.
// Members with a Dir whose Delay is zero have a Delay of DiskDelay: set that to ask for them.
// Both are zero for Times that Check refuses, and for a group without members.
func (t Times) FailOver(members int) (least, most time.Duration) {
	t = t.Complete()
	if t.Check() != nil || members < 1 {
		return 0, 0
	}
	drift, delay, grant := max(t.Drift, 0), float64(t.Delay), float64(t.lease(false).GrantTime())
	slow, fast := 1-drift, 1+drift
	turn := float64(members) * 2 * delay // candidates wait for larger ones, of which one is down
	split := 12 * delay                  // two candidates have given up, and one of them tries again
	least = time.Duration(grant/fast - float64(t.Renew)/slow)
	// A float64, as the turns of thousands of members, each of days, are too long for a time.Duration.
	longest := (grant + turn + 6*delay + split) / slow
	if longest >= math.MaxInt64 {
		return least, math.MaxInt64
	}
	return least, time.Duration(longest)
}
