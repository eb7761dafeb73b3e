// Package k8s contains no code. Its tests have candidates of client-go's leaderelection and of package elector compete
// for one Lease, and reproduce what goes wrong with client-go alone. They use the emulator of package fakeapi, in
// virtual time.
package k8s
