package bridge

import "slices"

// purpose is what a process waits for until a deadline in its state.
type purpose struct {
	field string // contains the deadline
	phase string // if not empty, the phase in which that is so
	words string
}

// purposes has the deadlines of the machines that use one timer for all of them. If two are equal, the first one names
// the timer.
var purposes = map[string][]purpose{
	"lease.process": {
		{"until", "", "its lease"},
		{"grant.until", "", "the loan of its vote"},
		{"again", "lease.phase(4)", "the wait until it renews"},
		{"again", "", "the wait for answers"},
		{"leaderUntil", "", "the lease of the leader that it follows"},
		{"quiet", "", "the time without a vote after a restart"},
		{"hold", "", "the wait for more answers"},
		{"rest", "", "the wait for votes that are lent"},
		{"resigned", "", "the rest after it has resigned"},
	},
	"storelease.process": {
		{"until", "", "its lease"},
		{"again", "storelease.phase(0)", "the wait until it reads the record"},
		{"again", "storelease.phase(2)", "the wait until it renews"},
		{"again", "", "the wait for the store"},
		{"leaderUntil", "", "the lease of the leader that it follows"},
		{"rest", "", "the rest after it has resigned"},
		{"wake", "", "the lease in the record"}, // computed, so no field contains it
	},
}

// purpose names the deadline for which a machine has set a timer. It returns the empty string if the timer has a name of
// its own.
func (m *machine) purpose(timer uint8) string {
	if timer > 0 {
		return ""
	}
	value := func(name string) string {
		i := slices.IndexFunc(m.Fields, func(f field) bool { return f.Name == name })
		if i < 0 {
			return ""
		}
		return m.Fields[i].Value
	}
	wake, phase := value("wake"), value("phase")
	for _, p := range purposes[m.Type] {
		if value(p.field) == wake && (p.phase == "" || p.phase == phase) {
			return p.words
		}
	}
	return ""
}
