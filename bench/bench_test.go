package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func some(ms ...int) (t times) {
	for _, one := range ms {
		t = append(t, time.Duration(one)*time.Millisecond)
	}
	return t
}

// TestMedian: a median is one of the times, and half of the others are not larger.
func TestMedian(t *testing.T) {
	for _, c := range []struct {
		times times
		want  string
	}{
		{nil, "-"},
		{some(7), "7.0 (7.0 to 7.0)"},
		{some(200, 3, 50), "50.0 (3.0 to 200)"},
		{some(4, 3, 2, 1), "3.0 (1.0 to 4.0)"},
	} {
		if got := c.times.String(); got != c.want {
			t.Errorf("%v, want %s", got, c.want)
		}
	}
}

// TestAims: what is measured is compared with what has to be reached, each by itself.
func TestAims(t *testing.T) {
	r := &results{rows: []*row{
		{name: "elector", crash: some(700), term: some(6), resign: some(5), transfer: some(4), usage: usage{
			follower: share{cpu: 0.1, memory: 13}}},
		{name: "raft", crash: some(1000), usage: usage{bytes: 100}},
		{name: asSlow, crash: some(1050), usage: usage{bytes: 49}},
		{name: overEtcd, lease: 2 * time.Second, crash: some(2300), resign: some(9), trips: []int{2, 3, 2},
			usage: usage{reads: 0.1, writes: 2.05, lasted: 20 * time.Second}},
		{name: overPostgres, lease: 2 * time.Second, crash: some(2100), resign: some(90), trips: []int{5},
			usage: usage{reads: 9, writes: 2.2, lasted: 20 * time.Second}},
	}, groups: []*groupsRow{{usage: usage{packets: 10}}, {usage: usage{packets: 101}}}, workers: some(20),
		starved: &starvedRow{again: 6 * time.Second}}
	missed := map[string]bool{"`elector` over etcd: a crash: at most 1.1 of the lease": true,
		"`elector` over etcd: at rest no reads": true, "`elector` over PostgreSQL: at rest at most one write in `Renew`": true,
		"at most 0.6 of raft's": true, "SIGTERM: at most 5 ms": true,
		"a follower: at most 12 MB": true, "1,000 groups: at most 10 times the packets of one": true,
		"1,000 groups next to busy programs: all have a leader at most 5 s after the programs end": true}
	aims := r.aims()
	if len(aims) != 19 {
		t.Errorf("%d aims", len(aims))
	}
	for _, a := range aims {
		if a.reached == missed[a.what] {
			t.Errorf("%s: %s, reached: %t", a.what, a.measured, a.reached)
		}
	}
}

// TestLed: a group has a leader as long as one member leads it, also if the line of its successor arrives first, and a
// member that has crashed leads none.
func TestLed(t *testing.T) {
	l := newLed(&group{})
	for _, c := range []struct {
		member         int
		text           string
		groups, leader int
	}{
		{0, "leads 1", 1, 0}, {1, "leads 2", 2, 0}, {1, "leads 1", 2, 1}, {0, "stopped 1", 2, 1},
		{2, "stopped 2", 2, 1}, {0, "leads 3", 3, 1},
	} {
		l.hear(word{member: c.member, text: c.text})
		if l.groups() != c.groups || l.busiest() != c.leader {
			t.Errorf("after %s of %d: %d groups, %d leads the most", c.text, c.member, l.groups(), l.busiest())
		}
	}
	if l.crashed(1); l.groups() != 1 || l.by != [members]int{1} {
		t.Errorf("%d groups, %v", l.groups(), l.by)
	}
}

// TestSlowDown: a lease as much longer as the other system takes longer.
func TestSlowDown(t *testing.T) {
	s := &system{asSlowAs: "raft"}
	r := &results{rows: []*row{{name: "elector", crash: some(500)}}}
	if s.slowDown(r) {
		t.Error("raft is not measured")
	}
	r.rows = append(r.rows, &row{name: "raft", crash: some(1500)})
	if !s.slowDown(r) || s.lease != 2250*time.Millisecond {
		t.Errorf("lease %v", s.lease)
	}
}

// TestUpdate: what stands between the marks is replaced, and a file without them is refused.
func TestUpdate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "doc.md")
	if err := os.WriteFile(path, []byte("before\n"+first+"old\n"+last+"after\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := update(path, "new\n"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if want := "before\n" + first + "new\n" + last + "after\n"; err != nil || string(got) != want {
		t.Errorf("%q, %v", got, err)
	}
	if err := os.WriteFile(path, []byte(first), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := update(path, ""); err == nil || !strings.Contains(err.Error(), "does not contain the marks") {
		t.Error(err)
	}
}
