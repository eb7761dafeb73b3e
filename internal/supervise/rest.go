package supervise

import "time"

// Rest is for how long a member is no candidate after its program has ended.
type Rest struct {
	Least, Most time.Duration
	next        time.Duration
}

// After returns the pause after a program that ran for a while: at first the least, and twice as long
// each time that it ends sooner than the longest pause.
func (r *Rest) After(ran time.Duration) time.Duration {
	if r.next == 0 || ran >= r.Most {
		r.next = r.Least
	}
	pause := r.next
	r.next = min(2*pause, r.Most)
	return pause
}
