package main

import (
	"path/filepath"
	"time"
)

// members is the number of members of a group.
const members = 5

// system is one way to have a leader.
type system struct {
	name     string
	program  string // of a member
	args     []string
	server   string // a program that the members need; empty if none
	times    string // in words
	lease    time.Duration
	asSlowAs string        // a system whose time after a crash is to be matched; nothing else is tried
	settle   time.Duration // until a member that is back takes part
	slow     bool          // a crash is detected after ten seconds or more: fewer trials
	requests bool          // a leader can name its successor
}

// What can be measured besides systems.
const (
	manyGroups = "groups"
	workers    = "workers"
	starved    = "starved"
)

const asSlow = "elector-as-slow"

// The elector with a store.
const (
	overEtcd       = "elector-etcd"
	overNATS       = "elector-nats"
	overPostgres   = "elector-postgres"
	overKubernetes = "elector-kubernetes"
)

var systems = []system{
	{name: "elector", program: "members/elector", times: "`LAN()`: `Lease` 750 ms",
		lease:  750 * time.Millisecond,
		settle: 1200 * time.Millisecond, requests: true},
	{name: "raft", program: "members/raft", times: "`DefaultConfig()`: 1 s, 1 s, 500 ms",
		settle: 1200 * time.Millisecond, requests: true},
	{name: asSlow, program: "members/elector", asSlowAs: "raft"},
	{name: overEtcd, program: "members/store", args: []string{"-store", "etcd", "-lease", "2s"}, server: "servers/etcd",
		times: "`Lease` 2 s; one server", lease: 2 * time.Second, settle: 2500 * time.Millisecond, requests: true},
	{name: "etcd", program: "members/etcd", server: "servers/etcd", times: "session of 2 s; one server",
		lease: 2 * time.Second, settle: 500 * time.Millisecond},
	{name: overNATS, program: "members/store", args: []string{"-store", "nats", "-lease", "2s"}, server: "servers/nats",
		times: "`Lease` 2 s; one server", lease: 2 * time.Second, settle: 2500 * time.Millisecond, requests: true},
	{name: overPostgres, program: "members/store", args: []string{"-store", "postgres", "-lease", "2s"},
		server: "servers/postgres", times: "`Lease` 2 s", lease: 2 * time.Second, settle: 2500 * time.Millisecond,
		requests: true},
	{name: "advisory", program: "members/advisory", server: "servers/postgres", times: "no time: a connection",
		settle: 500 * time.Millisecond},
	{name: overKubernetes, program: "members/store", args: []string{"-store", "kubernetes", "-lease", "15s"},
		server: "servers/lease", times: "`Lease` 15 s; emulator of an API server", lease: 15 * time.Second,
		// A member that resigns is a candidate again after a lease, so one must be back when the fifth resigns.
		settle: 15*time.Second/(members-1) + time.Second/4, slow: true, requests: true},
	{name: "client-go", program: "members/client-go", server: "servers/lease",
		times: "15 s, 10 s, 2 s; emulator of an API server", lease: 15 * time.Second, settle: 3 * time.Second, slow: true},
}

// parts returns the names of everything that can be measured.
func parts() (names []string) {
	for _, s := range systems {
		names = append(names, s.name)
	}
	return append(names, manyGroups, workers, starved)
}

// slowDown sets the lease with which elector should take as long after a crash as another system. It returns false if
// that system was not measured.
func (s *system) slowDown(r *results) bool {
	other, own := r.row(s.asSlowAs), r.row("elector")
	if other == nil || own == nil {
		return false
	}
	scale := float64(other.crash.median()) / float64(own.crash.median())
	s.lease = time.Duration(scale * float64(750*time.Millisecond)).Round(10 * time.Millisecond)
	s.settle = s.lease + 500*time.Millisecond
	s.times = "`Lease` " + s.lease.String()
	s.args = []string{"-lease", s.lease.String()}
	return true
}

// overStore reports whether a system is the elector with a store.
func (s *system) overStore() bool { return s.program == "members/store" }

// command returns the path of a program.
func (o *options) command(program string) string { return filepath.Join(o.bin, program) }
