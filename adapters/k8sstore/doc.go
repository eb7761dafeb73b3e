// Package k8sstore keeps a record in a Lease of Kubernetes. It needs no client-go: it makes three kinds of HTTP
// requests.
//
//	s, err := k8sstore.InCluster()
//	...
//	e, err := elector.New(elector.Config{Group: "orders", Self: podName, Store: s})
//
// The record of the group "orders" is the Lease "orders" in the namespace of the pod. The service account needs the
// verbs get, create, update and watch for the resource leases of the group coordination.k8s.io. Without watch it works
// too, and members poll.
//
// A write is a PUT that names the resourceVersion and the uid of the Lease that it replaces. The uid matters: an API
// server takes a PUT to a Lease that does not exist as an order to create it, whatever its resourceVersion.
//
// # Next to client-go
//
// The Lease contains what client-go's leaderelection writes: holderIdentity, leaseDurationSeconds, acquireTime,
// renewTime and leaseTransitions. Candidates of both may therefore compete for one Lease, for example while a
// Deployment moves from one to the other, and "kubectl get lease" shows the leader. The exact record is in
// annotations, which client-go leaves alone. The rules are:
//
//   - A holder is shown as NAME_INCARNATION, as components of Kubernetes do. client-go believes to lead whenever it
//     finds its own identity, so a name alone would be unsafe if both use the name of the pod.
//   - client-go sees renewTime in whole seconds only. Two renewals in one second look the same to it, so it may count
//     from the first one. leaseDurationSeconds is therefore the lease and one more second, rounded up, with 1 % for
//     clocks.
//   - renewTime never decreases, and advances at least as fast as a monotonic clock. If the clock of a machine is set
//     back, client-go still sees each renewal.
//   - A Lease that client-go has written is recognized by its spec: it differs from the one in the annotations. It is
//     read as a record whose lease is leaseDurationSeconds and one more second, because client-go rounds down. If
//     client-go has released it, anyone may take it.
//   - The term grows by one with each of client-go's leaseTransitions.
//
// What client-go does not promise remains so: it releases a Lease before its work has returned, it may lead for
// RenewDeadline after another holder took the Lease, and it takes a Lease that somebody has deleted immediately. Its
// LeaseDuration must be longer than RenewDeadline and RetryPeriod together. Terms are no fencing tokens as long as a
// candidate of client-go may lead.
//
// # Tested with
//
// An emulator: package fakeapi, which compares resourceVersion and uid like an API server. client-go itself competes
// with package elector over it in the tests of adapters/peers/k8s. The conformance and the elector's fault tests passed once,
// by hand, with kube-apiserver 1.37, which was killed and started again, and a Lease of 2 s.
package k8sstore
