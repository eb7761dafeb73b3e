// Package prometheus collects the metrics of members for a program that uses client_golang.
//
// # Usage
//
// Register one Collector with the members of all groups of the program:
//
//	e, err := elector.New(config)
//	...
//	registry.MustRegister(prometheus.New(e))
//
// [elector.Elector.Handler] serves the same metrics without a client library. docs/metrics.md lists their names. The
// Collector reads a member only when the registry collects.
package prometheus

import (
	"fmt"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/go-election/election/elector"
)

// Collector collects the metrics of members. Its methods are safe for concurrent use.
type Collector struct {
	metrics func(...elector.Stats) []elector.Metric

	mu      sync.Mutex
	members []*elector.Elector
}

// New returns a Collector of these members. A registry accepts one Collector, so use it for the members of all groups.
func New(members ...*elector.Elector) *Collector {
	return &Collector{metrics: elector.Metrics, members: slices.Clone(members)}
}

// NewMasterStatus returns a Collector of leader_election_master_status only, the metric of client-go. Register it
// next to the Collector of [New], unless client-go has registered the same metric.
func NewMasterStatus(members ...*elector.Elector) *Collector {
	c := New(members...)
	c.metrics = func(of ...elector.Stats) []elector.Metric { return []elector.Metric{elector.MasterStatus(of...)} }
	return c
}

// Add adds a member, for instance of a group that was started later.
func (c *Collector) Add(member *elector.Elector) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.members = append(c.members, member)
}

// Remove removes a member.
func (c *Collector) Remove(member *elector.Elector) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.members = slices.DeleteFunc(c.members, func(m *elector.Elector) bool { return m == member })
}

// Describe sends the descriptions of all metrics.
func (c *Collector) Describe(descriptions chan<- *prometheus.Desc) {
	for _, m := range c.metrics() {
		descriptions <- describe(&m)
	}
}

// Collect sends all metrics.
func (c *Collector) Collect(metrics chan<- prometheus.Metric) {
	c.mu.Lock()
	members := slices.Clone(c.members)
	c.mu.Unlock()
	var stats []elector.Stats
	for _, e := range members {
		stats = append(stats, e.Stats())
	}
	for _, m := range c.metrics(stats...) {
		d := describe(&m)
		for _, s := range m.Samples {
			switch m.Type {
			case "histogram":
				below, buckets := uint64(0), make(map[float64]uint64)
				for i, bound := range s.Histogram.Bounds {
					below += s.Histogram.Counts[i]
					buckets[bound.Seconds()] = below
				}
				metrics <- prometheus.MustNewConstHistogram(d, s.Histogram.Count(), s.Histogram.Sum.Seconds(), buckets, s.Labels...)
			case "counter":
				metrics <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, s.Value, s.Labels...)
			case "gauge":
				metrics <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, s.Value, s.Labels...)
			default:
				panic(fmt.Sprintf("prometheus: %s has the type %q", m.Name, m.Type))
			}
		}
	}
}

func describe(m *elector.Metric) *prometheus.Desc {
	return prometheus.NewDesc(m.Name, m.Help, m.Labels, nil)
}
