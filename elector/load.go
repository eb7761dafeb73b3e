package elector

import (
	"log/slog"
	"time"
)

// load warns if this member cannot keep up with its groups. Its pacer's lock guards it.
type load struct {
	log *slog.Logger

	began    time.Time     // of the period
	all      int           // renewals and attempts in it
	late     int           // those that took more than half of Renew
	quickest time.Duration // the time of the quickest
	quiet    time.Time     // there is no warning before
}

// overloaded is the text of the warning.
const overloaded = "renewals of many groups are late although the network is quick: use a longer Lease, fewer " +
	"groups in a process, or more CPU"

// The warning needs so many renewals and attempts in a period, and so many groups.
const (
	loadPeriod = 5 * time.Second
	loadLeast  = 20
	manyGroups = 10
)

// note takes how long a renewal or an attempt took; a lease that was lost took a Lease. Each message of a
// slow network takes long. If a member is busy, those that happen to be handled first do not.
func (l *load) note(a *attempts, took time.Duration) {
	if now := time.Now(); now.Sub(l.began) >= loadPeriod {
		l.judge(a, now)
		*l = load{log: l.log, quiet: l.quiet, began: now, quickest: took}
	}
	l.all++
	l.quickest = min(l.quickest, took)
	if took > a.renew/2 {
		l.late++
	}
}

// judge warns if the period that has ended shows an overload.
func (l *load) judge(a *attempts, now time.Time) {
	if l.all < loadLeast || l.late <= l.all/2 || l.quickest > a.renew/4 || a.pacer.users < manyGroups ||
		now.Before(l.quiet) {
		return
	}
	l.quiet = now.Add(quiet)
	// In a goroutine of its own: a log that blocks must not hold up the elections of all groups.
	go l.log.Warn(overloaded, "groups", a.pacer.users, "lease", a.lease, "late", l.late, "of", l.all, "quickest",
		l.quickest)
}
