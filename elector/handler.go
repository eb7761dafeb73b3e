package elector

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// status is what the Handler returns at /.
type status struct {
	Group   string        `json:"group"`
	Self    string        `json:"self"`
	Role    string        `json:"role"`             // see Role
	Store   bool          `json:"store,omitempty"`  // a Store keeps the lease, and not members
	Members []string      `json:"members"`          // the list of this member; null with a Store
	Agreed  *agreedStatus `json:"agreed,omitempty"` // missing before the group is founded
	// Lists are the lists of the connected members, and who has each.
	Lists   map[string][]string `json:"lists"`
	Waits   string              `json:"waits,omitempty"`      // see Members.Waits
	Blocked []string            `json:"blocked_by,omitempty"` // see Members.BlockedBy
	Leader  string              `json:"leader"`               // empty if there is none
	Address string              `json:"address,omitempty"`    // see View.Address
	Term    uint64              `json:"term"`
	Leads   bool                `json:"leads"` // this member is the leader
	Why     string              `json:"why"`
	Reaches bool                `json:"reachable"`          // the transport has a connection to the leader
	Left    float64             `json:"lease_left_seconds"` // of the lease of this member; zero without one
	// RoundTrip, and the Lease that Suggest returns for it; zero if none was measured.
	RoundTrip float64 `json:"round_trip_seconds"`
	Suggested float64 `json:"suggested_lease_seconds"`
	Healthy   bool    `json:"healthy"`
	Reason    string  `json:"reason,omitempty"`  // why this member is not healthy
	Version   string  `json:"version,omitempty"` // of this module in the program, if it is known
}

// agreedStatus is the agreed configuration.
type agreedStatus struct {
	Label   string    `json:"label"`
	Members []string  `json:"members"`
	Next    []string  `json:"next,omitempty"` // see Members.Next
	Called  bool      `json:"called,omitempty"`
	Since   time.Time `json:"since"`
}

// Handler returns an HTTP handler for status and probes.
//
//   - GET / returns the state of this member as JSON.
//   - GET /healthz returns 200 if this member takes part in the group, and otherwise 503 with the reason: it does not
//     run; it is a member and has known no leader for two leases, not even by [Hearsay]; it is a member and has not
//     learned for four leases what it voted for before; the group is not founded after four leases, see Members; it
//     leads, and its lease was not renewed for twice Times.Renew; another process with its name leads, as a Store
//     shows; or Dir cannot be written or hangs, which requests test at most once in five seconds. With a Store, the
//     reason contains why calls fail. A process that is no member, not yet or not any more, is healthy, and the body
//     tells which: an orchestrator that changes the members waits until each of them is ready.
//   - GET /leader returns 200 at the leader and 503 at the other members, for a load balancer.
//   - GET /metrics returns the [Metrics] of this member in the text format of Prometheus, and with ?master_status=1 also
//     [MasterStatus].
func (e *Elector) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(e.status()) // an error: the client is gone
	})
	answer := func(w http.ResponseWriter, ok bool, text string) {
		if !ok {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		fmt.Fprintln(w, text)
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		reason := e.ill()
		answer(w, reason == "", cmp.Or(reason, e.excused()))
	})
	mux.HandleFunc("GET /leader", func(w http.ResponseWriter, _ *http.Request) {
		v := e.Leader()
		answer(w, v.Self, v.Leader)
	})
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		s := e.Stats()
		all := Metrics(s)
		if r.FormValue("master_status") == "1" {
			all = append(all, MasterStatus(s))
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		_ = WriteMetrics(w, all...) // an error: the client is gone
	})
	return mux
}

func (e *Elector) status() status {
	v, reason := e.Leader(), e.ill()
	m := e.Members()
	s := status{Group: e.config.Group, Self: e.config.Self, Role: m.Role.String(), Store: e.link != nil, Members: e.members.list(),
		Lists: m.Lists, Waits: m.Waits, Blocked: m.BlockedBy, Leader: v.Leader, Address: v.Address, Term: v.Term, Leads: v.Self,
		Why: v.Why.String(), Reaches: v.Reachable, Healthy: reason == "",
		Reason: reason, Version: version()}
	if m.Term > 0 {
		s.Agreed = &agreedStatus{Label: m.Label(), Members: m.Agreed, Next: m.Next, Called: m.Called, Since: m.Since}
	}
	if v.Self && e.leases {
		s.Left = Term{v.Term, e}.Left().Seconds()
	}
	if d := e.RoundTrip(); d > 0 {
		s.RoundTrip, s.Suggested = d.Seconds(), Suggest(d).Lease.Seconds()
	}
	return s
}

// excused returns why a process that is no member is healthy, or "".
func (e *Elector) excused() string {
	m := e.members
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.now.Agreed {
		return ""
	}
	switch m.role() {
	case Learner:
		var without []string
		for name, h := range m.hellos {
			if m.connected(name) && m.isVoter(name) && !slices.Contains(h.Members, m.config.Self) {
				without = append(without, name)
			}
		}
		text := "this process is not a member yet"
		if slices.Sort(without); len(without) > 0 {
			text += ": the lists of " + commas(without) + " do not contain it"
		}
		if !slices.Contains(m.wish, m.config.Self) {
			text = "this process is not a member, and its own list does not contain it: if it is to become a member, " +
				"correct Self or Members"
		}
		return text
	case Leaving:
		return "this member is leaving: do not stop it before it is removed"
	case Removed:
		return "this process is not a member any more, since " + label(m.now.Configuration) + ": it may be stopped"
	}
	return ""
}

// ill returns why this member is not healthy, or "".
func (e *Elector) ill() string {
	e.mu.Lock()
	v, vacant := e.view, e.vacant
	e.mu.Unlock()
	times, store := e.config.Times, ""
	if e.link != nil {
		store = e.link.ill()
	}
	because := func(reason string) string { return strings.TrimSuffix(reason+": "+store, ": ") }
	switch now := e.clock(); {
	case v.Why == Ended:
		return "this member has left the election"
	// Not visible in the View, which is the same before and after the start of Run.
	case !e.ran.Load():
		return "this member does not run yet"
	case v.Self:
		if left := (Term{v.Term, e}).Left(); left < times.Lease-2*times.Renew || left <= 0 {
			return because(fmt.Sprintf("renewals are late: the lease lasts for another %v of %v", max(left, 0),
				times.Lease))
		}
	case v.Leader == "" && now-vacant > 2*times.Lease:
		if reason := e.adrift(now - vacant); reason != "" {
			return because(reason)
		}
	}
	return e.disk.ill()
}

// adrift returns why this process is not healthy although it has known no leader for a while, or "".
func (e *Elector) adrift(vacant time.Duration) string {
	for4 := vacant > 4*e.config.Times.Lease
	m := e.members
	m.mu.Lock()
	unfounded, recovered := m.unfounded(), m.now.Recovered
	votes := m.role() == Member || m.role() == Observer
	m.mu.Unlock()
	switch {
	case unfounded != "" && for4:
		return unfounded
	case unfounded != "", !votes:
		return ""
	case !recovered && m.leases && votes && for4:
		return fmt.Sprintf("this member has not learned from the others what it voted for before, for %v: %s",
			vacant.Round(time.Millisecond), m.silent())
	case !recovered && m.leases && !e.config.observes():
		return ""
	}
	return fmt.Sprintf("there has been no leader for %v", vacant.Round(time.Millisecond))
}
