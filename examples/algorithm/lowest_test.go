package main

import (
	"testing"

	"github.com/go-election/election/electiontest"
)

// TestConformance: it keeps all that its description promises, and elects the smallest.
func TestConformance(t *testing.T) {
	electiontest.Test(t, algorithm(), electiontest.Options{})
}
