package electiontest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/echo"
	"github.com/go-election/election/lcr"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/params"
)

// allocating returns an algorithm whose Nodes allocate in some Steps, if it is nil in all.
func allocating(a *election.Algorithm, in func(ev *election.Event) bool) *election.Algorithm {
	return spoil(a, spoiling{step: func(n *spoilt, e *election.Env, ev *election.Event) {
		if in == nil || in(ev) {
			n.sent = make([]election.Message, 1)
		}
		n.Node.Step(e, ev)
	}})
}

const allocates = "a Step allocates memory, of a Node that has been used for all this before: process "

func brokenAllocations() []sample {
	everywhere := map[string]string{"Allocation": allocates}
	asking := mutex.Algorithms(bully.Algorithms()[0])[1]
	return []sample{
		{"allocates", broken{algorithm: allocating(lcr.Participant(), nil), want: everywhere}},
		{"allocates, as declared", broken{algorithm: allocating(lcr.Participant(), nil),
			options: Options{Allocates: true}}},
		{"allocates on a graph", broken{algorithm: allocating(echo.Algorithms()[0], nil), want: everywhere}},
		{"allocates and is long-lived", broken{algorithm: allocating(bully.Algorithms()[0], nil),
			want: everywhere}},
		{"allocates on a time-out", broken{algorithm: allocating(bully.Algorithms()[0],
			func(ev *election.Event) bool { return ev.Op == election.Timeout }),
			want: map[string]string{"Allocation": "at timeout"}}},
		{"allocates where it may make room", broken{algorithm: allocating(asking,
			func(ev *election.Event) bool { return ev.Op == election.Recv && ev.Msg.Kind == 1 }),
			want: map[string]string{"Allocation": "at recv of request"}}},
	}
}

// TestAllocationFound: whichever algorithm allocates in its Steps is found.
func TestAllocationFound(t *testing.T) {
	for _, a := range catalog.All() {
		b := allocating(a, nil)
		if a.Configure != nil {
			b.Configure = func(p *params.Given) (*election.Algorithm, error) {
				configured, err := a.Configure(p)
				if err != nil {
					return nil, err
				}
				return allocating(configured, nil), nil
			}
		}
		b.Params = a.Params
		require.Contains(t, says(t, "Allocation", b, Options{Seeds: 3}), allocates, a.Title())
	}
}

// TestSteadyAllocation: to make room again after a reset is none of each Step.
func TestSteadyAllocation(t *testing.T) {
	a := mutex.Algorithms(bully.Algorithms()[0])[1]
	c := &trial{Options: Options{Seeds: 6, Processes: 9}, Algorithm: a, ctx: t.Context(), t: t}
	all, err := c.histories(6, lasting)
	require.NoError(t, err)
	found := 0
	for _, h := range all {
		where, err := h.allocates()
		require.NoError(t, err)
		found += len(where)
		where, err = c.eachTime(h, where)
		require.NoError(t, err)
		require.Empty(t, where)
	}
	require.Positive(t, found, "a reset loses room")
}
