package elector

import (
	"log/slog"
	"time"
)

// load warns if this member has too little CPU for its groups. The lock of the pacer guards it.
type load struct {
	log *slog.Logger

	began    time.Time     // start of the period
	all      int           // renewals and attempts in the period
	late     int           // how many of them took more than half of Renew
	quickest time.Duration // how long the quickest took
	quiet    time.Time     // no warning before this
}

// overloaded is the warning.
const overloaded = "renewals of many groups are late although the network is quick: use a longer Lease, fewer " +
	"groups in a process, or more CPU"

// The warning needs at least loadLeast renewals and attempts in a loadPeriod, and manyGroups groups.
const (
	loadPeriod = 5 * time.Second
	loadLeast  = 20
	manyGroups = 10
)

// note records how long a renewal or attempt took; a Lease if the lease was lost. In a slow network all of them take
// long; in a busy member the first of a batch do not, which tells the two apart.
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

// judge warns if the past period shows an overload.
func (l *load) judge(a *attempts, now time.Time) {
	if l.all < loadLeast || l.late <= l.all/2 || l.quickest > a.renew/4 || a.pacer.users < manyGroups ||
		now.Before(l.quiet) {
		return
	}
	l.quiet = now.Add(quiet)
	// A separate goroutine, since a log handler that blocks must not delay the elections of all groups.
	go l.log.Warn(overloaded, "groups", a.pacer.users, "lease", a.lease, "late", l.late, "of", l.all, "quickest",
		l.quickest)
}
