package soak

import "testing"

// LowerStepLimit lets a run of a few processes count as one without end after fewer steps, for one test.
func LowerStepLimit(t *testing.T, steps int) {
	before := manySteps
	manySteps = steps
	t.Cleanup(func() { manySteps = before })
}
