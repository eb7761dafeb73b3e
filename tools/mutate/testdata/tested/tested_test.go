package tested

import "testing"

func TestMost(t *testing.T) {
	if most(1, 2) != 2 || most(2, 1) != 2 {
		t.Fail()
	}
}
