package observe_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/observe"
)

// TestBoth: both observers hear of an occurrence, in this order; the second may be missing.
func TestBoth(t *testing.T) {
	var heard []string
	note := func(name string) observe.Observer {
		return func(o *observe.Occurrence) { heard = append(heard, name+" "+o.What.String()) }
	}
	o := &observe.Occurrence{What: observe.Crash}
	observe.Both(note("first"), note("other"))(o)
	observe.Both(note("alone"), nil)(o)
	require.Equal(t, []string{"first crash", "other crash", "alone crash"}, heard)
}
