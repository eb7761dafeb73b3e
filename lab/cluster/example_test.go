package cluster_test

import (
	"fmt"
	"time"

	"github.com/go-election/election/lab/cluster"
)

// A summary judges the leases that members have noted.
func ExampleSummary_Err() {
	s := cluster.Summary{Leases: []cluster.Lease{
		{Member: "a", Term: 1, From: 0, Until: 750 * time.Millisecond},
		{Member: "b", Term: 2, From: 700 * time.Millisecond, Until: 2 * time.Second},
	}}
	fmt.Println(s.Err())
	// Output: cluster: two leases were valid at once: a in Term 1 until 750ms, b in Term 2 from 700ms
}
