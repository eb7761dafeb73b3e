package soak

import "testing"

// LowerShrinking lets smaller plans take fewer steps together, for one test.
func LowerShrinking(t *testing.T, steps int) {
	before := mostShrinking
	mostShrinking = steps
	t.Cleanup(func() { mostShrinking = before })
}

// LowerStepLimit lets a run of a few processes count as one without end after fewer steps, for one test.
func LowerStepLimit(t *testing.T, steps int) {
	before := manySteps
	manySteps = steps
	t.Cleanup(func() { manySteps = before })
}
