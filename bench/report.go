package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// times are measured durations.
type times []time.Duration

// median returns the median; of an even number of times, the larger of the two in the middle.
func (t times) median() time.Duration {
	if len(t) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(t))[len(t)/2]
}

// String returns the median, the least and the most in milliseconds.
func (t times) String() string {
	if len(t) == 0 {
		return "-"
	}
	ms := func(d time.Duration) string {
		if d >= 100*time.Millisecond {
			return fmt.Sprintf("%.0f", d.Seconds()*1e3)
		}
		return fmt.Sprintf("%.1f", d.Seconds()*1e3)
	}
	return fmt.Sprintf("%s (%s to %s)", ms(t.median()), ms(slices.Min(t)), ms(slices.Max(t)))
}

// row is the measurements of one system.
type row struct {
	name, times                   string
	lease                         time.Duration
	crash, term, resign, transfer times
	trips                         []int // requests one after another in each handover over a store
	missed                        int   // transfers after which another member than the named one led
	changes                       int   // of leader, although nothing was done to it
	usage                         usage
}

// groupsRow is what many groups use.
type groupsRow struct {
	groups, led int
	usage       usage
}

// results are all measurements.
type results struct {
	rows    []*row
	groups  []*groupsRow
	workers times
	starved *starvedRow // nil: not measured
	load    string      // of the machine
}

func (r *results) row(name string) *row {
	for _, one := range r.rows {
		if one.name == name {
			return one
		}
	}
	return nil
}

// text returns all tables.
func (r *results) text(o *options) string {
	var b strings.Builder
	fmt.Fprintf(&b,
		"On %s, %d processors, %s, %d trials (over Kubernetes 5 at most); the load of the machine was %s.\n",
		time.Now().Format(time.DateOnly), runtime.NumCPU(), runtime.Version(), o.trials, r.load)
	if len(r.rows) > 0 {
		r.replacements(&b)
		r.usages(&b)
		r.stores(&b)
	}
	for _, one := range r.rows {
		if one.changes > 0 {
			fmt.Fprintf(&b, "\n%s changed its leader %d times although nothing was done to it.\n",
				one.title(),
				one.changes)
		}
	}
	if len(r.groups) > 0 {
		b.WriteString("\n| groups | led by one member | packets a second | kB a second | CPU of the " +
			"leader | CPU of a follower | " +
			"memory of the leader |\n|--:|--:|--:|--:|--:|--:|--:|\n")
		for _, g := range r.groups {
			u := &g.usage
			fmt.Fprintf(&b, "| %d | %d | %.0f | %.1f | %.2f %% | %.2f %% | %.1f MB |\n", g.groups, g.led,
				u.packets,
				u.bytes/1e3,
				u.leader.cpu, u.follower.cpu, u.leader.memory)
		}
	}
	if len(r.workers) > 0 {
		fmt.Fprintf(&b,
			"\nFrom killing a worker under `elect lead` until the worker of the next member runs: %v ms.\n",
			r.workers)
	}
	if r.starved != nil {
		b.WriteString(r.starved.text())
	}
	if aims := r.aims(); len(aims) > 0 {
		b.WriteString("\n| aim | measured | reached |\n|---|--:|---|\n")
		for _, a := range aims {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", a.what, a.measured,
				map[bool]string{true: "yes", false: "**no**"}[a.reached])
		}
	}
	return b.String()
}

// replacements writes how long it takes until the next leader works.
func (r *results) replacements(b *strings.Builder) {
	b.WriteString("\n| ms until the next leader works | times | kill -9 | in leases | SIGTERM | `Resign` | `Transfer` |\n" +
		"|---|---|--:|--:|--:|--:|--:|\n")
	for _, one := range r.rows {
		named := one.transfer.String()
		if one.missed > 0 {
			named += fmt.Sprintf(", %d of %d times another", one.missed, one.missed+len(one.transfer))
		}
		share := "-"
		if one.lease > 0 && len(one.crash) > 0 {
			share = fmt.Sprintf("%.2f", one.leases())
		}
		fmt.Fprintf(b, "| %s | %s | %v | %s | %v | %v | %v |\n", one.title(), one.times, one.crash, share, one.term,
			one.resign, named)
	}
}

// usages writes what systems use while nothing happens.
func (r *results) usages(b *strings.Builder) {
	b.WriteString("\n| five members at rest | kB a second | packets a second | CPU of a follower | CPU " +
		"of the leader | " +
		"memory of a follower | the server |\n|---|--:|--:|--:|--:|--:|--:|\n")
	for _, one := range r.rows {
		u, server := &one.usage, "none"
		if u.server != (share{}) {
			server = fmt.Sprintf("%.2f %%, %.1f MB", u.server.cpu, u.server.memory)
		}
		fmt.Fprintf(b, "| %s | %.1f | %.0f | %.2f %% | %.2f %% | %.1f MB | %s |\n", one.title(), u.bytes/1e3,
			u.packets, u.follower.cpu, u.leader.cpu, u.follower.memory, server)
	}
}

// stores writes what members ask their store.
func (r *results) stores(b *strings.Builder) {
	title := "\n| five members and a store | reads a second at rest | writes a second at rest | writes in `Renew` | ms a write | " +
		"`Resign`, in writes | `Transfer`, in writes | requests in a handover, at most |\n|---|--:|--:|--:|--:|--:|--:|--:|\n"
	for _, one := range r.rows {
		u := &one.usage
		if u.server == (share{}) {
			continue
		}
		b.WriteString(title)
		title = ""
		fmt.Fprintf(b, "| %s | %.2f | %.2f |", one.title(), u.reads, u.writes)
		if len(one.trips) == 0 {
			b.WriteString(" - | - | - | - | - |\n")
			continue
		}
		fmt.Fprintf(b, " %.2f | %.1f | %.1f | %.1f | %d |\n", one.writesInRenew(), u.write.Seconds()*1e3,
			one.inWrites(one.resign), one.inWrites(one.transfer), one.mostTrips())
	}
}

// writesInRenew returns how often members that nothing happens to write in the interval between two renewals.
func (r *row) writesInRenew() float64 { return r.usage.writes * (r.lease / 4).Seconds() }

// inWrites returns the median of times as a multiple of the time that a write takes.
func (r *row) inWrites(t times) float64 { return t.median().Seconds() / r.usage.write.Seconds() }

func (r *row) mostTrips() (most int) {
	for _, n := range r.trips {
		most = max(most, n)
	}
	return most
}

// leases returns the time after a crash in leases.
func (r *row) leases() float64 { return r.crash.median().Seconds() / r.lease.Seconds() }

// title returns the name of a system in tables.
func (r *row) title() string {
	return map[string]string{"elector": "`elector`", asSlow: "`elector`, as slow as raft",
		"raft": "hashicorp/raft",
		"etcd": "etcd `concurrency`", "client-go": "client-go `leaderelection`",
		"advisory": "PostgreSQL advisory lock", overEtcd: "`elector` over etcd", overNATS: "`elector` over NATS",
		overPostgres: "`elector` over PostgreSQL", overKubernetes: "`elector` over Kubernetes"}[r.name]
}

// aim is a bound that a measurement should meet.
type aim struct {
	what, measured string
	reached        bool
}

// aims compares measurements with their bounds.
func (r *results) aims() (all []aim) {
	within := func(what string, measured, most float64, format string) {
		all = append(all, aim{what, fmt.Sprintf(format, measured), measured <= most})
	}
	ms := func(t times) float64 { return t.median().Seconds() * 1e3 }
	own, raft, slow := r.row("elector"), r.row("raft"), r.row(asSlow)
	if own != nil {
		within("a crash at defaults: at most 760 ms", ms(own.crash), 760, "%.0f ms")
		if raft != nil {
			within("at most 0.6 of raft's", ms(own.crash)/ms(raft.crash), 0.6, "%.2f")
		}
		within("SIGTERM: at most 5 ms", ms(own.term), 5, "%.1f ms")
		within("`Resign`: at most 5 ms", ms(own.resign), 5, "%.1f ms")
		within("`Transfer`: at most 5 ms", ms(own.transfer), 5, "%.1f ms")
		within("a follower: at most 0.2 % of a processor", own.usage.follower.cpu, 0.2, "%.2f %%")
		within("a follower: at most 12 MB", own.usage.follower.memory, 12, "%.1f MB")
	}
	if raft != nil && slow != nil {
		within("a crash, as slow as raft: at most 1.1 of raft's", ms(slow.crash)/ms(raft.crash), 1.1, "%.2f")
		within("bytes, as slow as raft: at most 0.5 of raft's", slow.usage.bytes/raft.usage.bytes, 0.5, "%.2f")
	}
	for _, one := range r.rows {
		if one.name != overEtcd && one.name != overNATS && one.name != overPostgres && one.name != overKubernetes {
			continue
		}
		within(one.title()+": a crash: at most 1.1 of the lease", one.leases(), 1.1, "%.2f")
		u := &one.usage
		renewals := u.lasted.Seconds()/(one.lease/4).Seconds() + 1 // that the time contains at most
		within(one.title()+": at rest at most one write in `Renew`", u.writes*u.lasted.Seconds()/renewals, 1, "%.2f")
		if one.name != overPostgres { // it reports no changes
			within(one.title()+": at rest no reads", u.reads, 0, "%.2f a second")
			within(one.title()+": a handover: at most 3 requests", float64(one.mostTrips()), 3, "%.0f")
		}
		if one.name == overEtcd || one.name == overNATS {
			within(one.title()+": `Resign`: at most 10 ms", ms(one.resign), 10, "%.1f ms")
		}
	}
	if len(r.groups) == 2 {
		within("1,000 groups: at most 10 times the packets of one", r.groups[1].usage.packets/
			r.groups[0].usage.packets, 10, "%.1f")
	}
	if r.starved != nil {
		within("1,000 groups next to busy programs: all have a leader at most 5 s after the programs end",
			r.starved.again.Seconds(), 5, "%.1f s")
	}
	if len(r.workers) > 0 {
		within("a worker under `elect lead`: at most 20 ms", ms(r.workers), 20, "%.1f ms")
	}
	return all
}

// The marks of the part of a file that update writes.
const (
	first = "<!-- begin of what make bench-peers writes -->\n"
	last  = "<!-- end of what make bench-peers writes -->\n"
)

// update replaces the tables of a file.
func update(path, text string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(b), first)
	_, after, ok2 := strings.Cut(rest, last)
	if !ok || !ok2 {
		return fmt.Errorf("%s does not contain the marks %q and %q", path, first, last)
	}
	return os.WriteFile(path, []byte(before+first+text+last+after), 0o644)
}
