package elector

import (
	"math"
	"time"

	"github.com/go-election/election/input"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/lease/storelease"
)

// Times are the durations of a group. Fields that are zero have the values of [LAN].
type Times struct {
	// Lease is how long a leader leads unless it renews its lease, and so about how long it takes to replace a leader
	// that crashes. At least a millisecond.
	Lease time.Duration
	// Renew is how often a leader renews its lease, at the same moments in all groups of a member. If zero, a quarter
	// of Lease. At most half of Lease, and at least Delay.
	Renew time.Duration
	// Stop is how long before the end of the lease the work is asked to stop. If zero, a quarter of Lease. New
	// returns an error unless 9/8*Renew + 2*Delay + Stop < Lease, also by a clock that is Drift too fast: the work
	// would otherwise be stopped before a renewal arrives.
	Stop time.Duration
	// Drain is how long the work may continue after it was asked to stop for a planned handover. The lease is renewed
	// meanwhile. If zero, 5 s.
	Drain time.Duration
	// Delay is how long a message and its handling usually take; with a Dir, including a write to the disk. If they
	// take several times as long, candidates split the votes and elections need more attempts. If zero, a hundredth
	// of Lease; with a Dir, at least DiskDelay if the other times allow. At most a quarter of Lease, and see Stop.
	Delay time.Duration
	// Drift is the largest error of the rate of a clock. If zero, 0.001, a millisecond a second.
	Drift float64
}

// DiskDelay is the smallest Times.Delay that New chooses for a member with a Dir. One write in a hundred takes 5 to
// 11 ms on a disk of its own; the rest is for the message.
const DiskDelay = 15 * time.Millisecond

const defaultLease = 750 * time.Millisecond

// LAN returns times for members in one data center.
func LAN() Times { return preset(defaultLease) }

// Cloud returns times for members in several zones, on shared machines.
func Cloud() Times { return preset(3 * time.Second) }

// WAN returns times for members in several regions.
func WAN() Times { return preset(10 * time.Second) }

// preset leaves Delay zero: New sets it, and knows whether there is a Dir.
func preset(lease time.Duration) Times {
	t := Times{Lease: lease}.Complete()
	t.Delay = 0
	return t
}

// Suggest returns times for a network with this round trip, see [Elector.RoundTrip]. New accepts them, whatever the
// round trip. The Lease is 50 round trips, from 250 ms to the 10 s of WAN, but at least ten round trips: lost packets
// make round trips long, and ten seconds outlast several retransmissions.
func Suggest(roundTrip time.Duration) Times {
	roundTrip = max(min(roundTrip, longestLease/10), 0)
	// Three renewals are sent in a lease; one should arrive even if each takes four times as long.
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

// Complete returns the Times with zero fields replaced by their defaults.
func (t Times) Complete() Times {
	if t.Lease == 0 {
		t.Lease = defaultLease
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
	leastLease   = time.Millisecond    // timers and renewals need a quarter of it
	longestLease = 26 * 24 * time.Hour // sums of times must not overflow in package lease
)

// mostDelay returns the largest Delay. The first candidate waits for a Delay, asks, and claims after 3 Delay (rules 8
// and 9 of package lease); a renewal takes 2 Delay. Each fits into a Lease even if it takes longer once.
func (t Times) mostDelay() time.Duration { return t.Lease / 4 }

// spare returns the longest round trip with which a renewal still arrives before the work is stopped. It is negative
// if there is none.
func (t Times) spare() time.Duration {
	// Compute by a clock that is too fast. Package lease refuses a Drift outside of this range.
	fast := 1.0
	if t.Drift > 0 && t.Drift < 0.5 {
		fast += t.Drift
	}
	// The work is stopped this long after the last effective renewal was sent; the next must arrive before.
	left := time.Duration(float64(t.Lease-t.Stop)/fast) - 1
	return left - t.lease(false).Renew
}

// Check returns the error that New would return for these Times and leases, or nil.
func (t Times) Check() error {
	t = t.Complete()
	err := t.check()
	if err == nil {
		_, err = lease.New(t.lease(false))
	}
	return prefixed(err)
}

// check refuses Times that package lease accepts.
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
		return input.Errorf("Times.Renew: %v is less than a Delay of %v: each renewal would be replaced by "+
			"the next before it is answered", t.Renew, t.Delay)
	case 2*t.Delay > t.spare():
		return input.Errorf("Times.Stop: 9/8*Renew + 2*Delay + Stop must be less than Lease, and with Renew %v, "+
			"Delay %v, Stop %v and Drift %v it is %v of %v: the work would be stopped before a renewal arrives",
			t.Renew, t.Delay, t.Stop, t.Drift, t.Lease+2*t.Delay-t.spare(), t.Lease)
	case t.Drain < 0:
		return input.Errorf("Times.Drain: %v is negative", t.Drain)
	}
	return nil
}

func (t Times) lease(durable bool) lease.Config {
	// The guard of a tenure renews at each beat. The timer of the Node is only for a lease that begins before the
	// work does. It is longer, or it would often fire just before the beat and send each renewal twice.
	c := lease.Config{Lease: t.Lease, Renew: t.Renew + t.Renew/8, Delay: t.Delay, Drift: t.Drift, Durable: durable,
		Stays: true}
	if durable {
		c.Cold = -1 // a majority does not forget, so waiting for it ends, and costs neither Terms nor members
	}
	return c
}

// inStore returns the same for a lease in a store.
func (t Times) inStore(watches, durable bool) storelease.Config {
	l := t.lease(durable)
	return storelease.Config{Lease: l.Lease, Renew: l.Renew, Delay: l.Delay, Drift: l.Drift, Watch: watches,
		Durable: durable}
}

// surely returns how long a timer may run so that no clock within Drift shows more than d when it fires.
func (t Times) surely(d time.Duration) time.Duration {
	drift := max(t.Drift, 0)
	return max(time.Duration(float64(d)*(1-drift)/(1+drift)), 1)
}

// FailOver returns the shortest and the longest time from the crash of a leader until the next one leads, in a group
// of this many members that are otherwise up, in a network as fast as Delay, with clocks within Drift. It takes
// longer in the rare case that candidates split the votes twice, and up to 10 Delay longer with a Priority. For
// members with a Dir, set Delay to DiskDelay if it is zero. Both results are zero if Check returns an error or there
// are no members.
func (t Times) FailOver(members int) (least, most time.Duration) {
	t = t.Complete()
	if t.Check() != nil || members < 1 {
		return 0, 0
	}
	drift, delay, grant := max(t.Drift, 0), float64(t.Delay), float64(t.lease(false).GrantTime())
	slow, fast := 1-drift, 1+drift
	turn := float64(members) * 2 * delay // candidates wait for larger ones, one of which is down
	split := 12 * delay                  // two candidates have given up, and one of them tries again
	least = time.Duration(grant/fast - float64(t.Renew)/slow)
	// A float64: thousands of members with a Lease of days overflow a time.Duration.
	longest := (grant + turn + 6*delay + split) / slow
	if longest >= math.MaxInt64 {
		return least, math.MaxInt64
	}
	return least, time.Duration(longest)
}
