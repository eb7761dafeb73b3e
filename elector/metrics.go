package elector

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-election/election/transport/tcp"
)

// Metric is a metric in the form of Prometheus. Names and labels are stable.
type Metric struct {
	Name, Help string
	Type       string   // counter, gauge or histogram
	Labels     []string // names of the labels, in order
	Samples    []Sample
}

// Sample is a value of a Metric.
type Sample struct {
	Labels    []string // values of the labels
	Value     float64
	Histogram *Histogram // instead of Value, if the Metric is a histogram
}

// family is how a Metric is made of Stats.
type family struct {
	name, kind, help string
	labels           []string // beyond group and member
	network          bool     // the connections, which groups may share
	read             func(s *Stats, add adder)
}

// adder adds a sample with these values of the labels: a number, or a *Histogram.
type adder func(value any, labels ...string)

// families are all metrics, by name.
var families = []family{
	counter("election_claims_total", "Attempts to become the leader that have asked for a lease.", nil,
		func(s *Stats, add adder) { add(s.Claims) }),
	gauge("election_info", "Always 1. The version of the library, if it is known.", []string{"version"},
		func(s *Stats, add adder) { add(1, s.Version) }),
	gauge("election_is_leader", "Whether this member leads.", nil,
		func(s *Stats, add adder) { add(s.View.Self) }),
	gauge("election_leader_known", "Whether this member knows a leader.", nil,
		func(s *Stats, add adder) { add(s.View.Leader != "") }),
	gauge("election_leader_reachable", "Whether this member leads or has a connection to the leader.", nil,
		func(s *Stats, add adder) { add(s.View.Reachable) }),
	counter("election_leaderless_seconds_total", "For how long this member has known no leader.", nil,
		func(s *Stats, add adder) { add(s.Leaderless.Seconds()) }),
	gauge("election_lease_duration_seconds", "The configured duration of a lease.", nil,
		func(s *Stats, add adder) { s.ifLeases(func() { add(s.Lease.Seconds()) }) }),
	gauge("election_lease_left_seconds", "How long the lease of this member lasts unless it is renewed; zero without one.",
		nil, func(s *Stats, add adder) { s.ifLeases(func() { add(s.Left.Seconds()) }) }),
	gauge("election_member_heard", "Whether the peer was heard in the last two leases, if this member leads, and "+
		"otherwise whether there is a connection to it.", []string{"peer"},
		func(s *Stats, add adder) {
			for peer, heard := range s.Heard {
				add(heard, peer)
			}
		}),
	gauge("election_members", "How many members the group has.", nil,
		func(s *Stats, add adder) { s.ifMembers(func() { add(len(s.Members)) }) }),
	gauge("election_members_changing", "Whether a change of the members is in progress.", nil,
		func(s *Stats, add adder) { s.ifMembers(func() { add(s.Changing) }) }),
	gauge("election_members_lists", "How many different lists this member and the members connected to it have.", nil,
		func(s *Stats, add adder) { s.ifMembers(func() { add(s.Lists) }) }),
	counter("election_messages_dropped_total", "Messages that were not delivered or not sent: foreign, for another "+
		"process; copy, received before; overflow, too many were waiting; rejected, no member sends them; unsent, the "+
		"transport refused them.", []string{"reason"}, func(s *Stats, add adder) {
		p := &s.Packets
		add(p.Dropped, "foreign")
		add(p.Copies, "copy")
		add(p.Overflow, "overflow")
		add(p.Rejected, "rejected")
		add(p.Unsent, "unsent")
	}),
	counter("election_messages_received_total", "Messages that this member has received.", nil,
		func(s *Stats, add adder) { add(s.Packets.Received) }),
	counter("election_messages_sent_total", "Messages that this member has sent, by kind.", []string{"kind"},
		func(s *Stats, add adder) {
			for _, k := range s.Packets.ByKind {
				add(k.Count, k.Kind)
			}
		}),
	network("election_network_connections_refused_total", "Connections that were refused, and groups of peers.",
		func(n *tcp.Stats, add adder) { add(n.Refused) }),
	network("election_network_dials_total", "Attempts to connect.",
		func(n *tcp.Stats, add adder) { add(n.Dials) }),
	network("election_network_duplicates_total", "Connections of a second process with the name of a member.",
		func(n *tcp.Stats, add adder) { add(n.Duplicates) }),
	network("election_network_packets_dropped_total", "Packets that were not sent: expired, too old; queue, a queue was full.",
		func(n *tcp.Stats, add adder) {
			add(n.Expired, "expired")
			add(n.Dropped, "queue")
		}, "reason"),
	network("election_network_received_bytes_total", "Bytes received, with what TLS adds.",
		func(n *tcp.Stats, add adder) { add(n.BytesReceived) }),
	network("election_network_received_packets_total", "Packets received.",
		func(n *tcp.Stats, add adder) { add(n.PacketsReceived) }),
	network("election_network_sent_bytes_total", "Bytes sent, with what TLS adds.",
		func(n *tcp.Stats, add adder) { add(n.BytesSent) }),
	network("election_network_sent_packets_total", "Packets sent.",
		func(n *tcp.Stats, add adder) { add(n.PacketsSent) }),
	network("election_network_writes_total", "Writes to connections; packets share writes.",
		func(n *tcp.Stats, add adder) { add(n.Writes) }),
	counter("election_overruns_total", "Terms whose work had not returned when the lease expired.", nil,
		func(s *Stats, add adder) { add(s.Overruns) }),
	counter("election_renewals_total", "Renewals of the lease: granted; late, granted after more than 1.5 of the usual "+
		"interval; lost, not answered by a majority.", []string{"result"},
		func(s *Stats, add adder) { s.ifLeases(func() { add.each(s.Renewals) }) }),
	histograms("election_round_trip_duration_seconds", "How long a majority, or the store, took to answer claims and "+
		"renewals.", nil, func(s *Stats, add adder) { s.ifLeases(func() { add(&s.Rounds) }) }),
	gauge("election_round_trip_seconds", "The 95th percentile of the last 100 round trips to a majority or the store; "+
		"zero without any.", nil, func(s *Stats, add adder) { s.ifLeases(func() { add(s.RoundTrip.Seconds()) }) }),
	histograms("election_store_call_duration_seconds", "How long calls of the store took.", []string{"call"},
		func(s *Stats, add adder) {
			if s.Store != nil {
				add(&s.Store.Get.Took, "get")
				add(&s.Store.Put.Took, "put")
			}
		}),
	counter("election_store_errors_total", "Calls of the store that failed: busy, too many have not returned; conflict, "+
		"another member wrote first; refused, the value is no record; timeout; other.", []string{"call", "kind"},
		func(s *Stats, add adder) {
			if s.Store != nil {
				add.each(s.Store.Get.Errors, "get")
				add.each(s.Store.Put.Errors, "put")
			}
		}),
	gauge("election_term", "The Term of the leader, or of the last one.", nil,
		func(s *Stats, add adder) { add(s.View.Term) }),
	counter("election_terms_ended_total", "Terms of this member that have ended, by reason.", []string{"reason"},
		func(s *Stats, add adder) { add.each(s.TermEnds) }),
	counter("election_terms_total", "Terms in which this member has led.", nil,
		func(s *Stats, add adder) { add(s.Terms) }),
	counter("election_transitions_total", "Changes of the leader as this member sees it, by reason.", []string{"reason"},
		func(s *Stats, add adder) {
			for why, n := range s.Transitions {
				add(n, strings.ReplaceAll(Reason(why).String(), " ", "_"))
			}
		}),
	gauge("election_work_overrunning", "Whether work has not returned although its lease has expired.", nil,
		func(s *Stats, add adder) { add(s.Overrunning) }),
}

// masterStatus is the metric of client-go.
var masterStatus = family{name: "leader_election_master_status", kind: "gauge", help: "Gauge of if the reporting system " +
	"is master of the relevant lease, 0 indicates backup, 1 indicates master. 'name' is the string used to identify the " +
	"lease. Please make sure to group by name.", read: func(s *Stats, add adder) { add(s.View.Self) }}

func gauge(name, help string, labels []string, read func(*Stats, adder)) family {
	return family{name: name, kind: "gauge", help: help, labels: labels, read: read}
}

func counter(name, help string, labels []string, read func(*Stats, adder)) family {
	return family{name: name, kind: "counter", help: help, labels: labels, read: read}
}

func histograms(name, help string, labels []string, read func(*Stats, adder)) family {
	return family{name: name, kind: "histogram", help: help, labels: labels, read: read}
}

// network is a counter of the connections.
func network(name, help string, read func(*tcp.Stats, adder), labels ...string) family {
	f := counter(name, help, labels, func(s *Stats, add adder) {
		if s.Network != nil {
			read(s.Network, add)
		}
	})
	f.network = true
	return f
}

func (s *Stats) ifLeases(do func()) {
	if s.Lease > 0 {
		do()
	}
}

func (s *Stats) ifMembers(do func()) {
	if s.Store == nil {
		do()
	}
}

// each adds a sample for each name.
func (add adder) each(of map[string]uint64, labels ...string) {
	for name, n := range of {
		add(n, append(slices.Clip(labels), name)...)
	}
}

// Metrics returns all metrics in order, with the samples of any number of members. A Metric that does not apply to any of
// them, such as the metrics of a Store, has no Samples. The label group of a Network that groups share is empty.
func Metrics(of ...Stats) []Metric {
	all := make([]Metric, len(families))
	for i := range families {
		f := &families[i]
		all[i] = f.metric(append([]string{"group", "member"}, f.labels...), of, func(s *Stats) []string {
			if f.network && s.Shared {
				return []string{"", s.Self}
			}
			return []string{s.Group, s.Self}
		})
	}
	return all
}

// MasterStatus returns the metric leader_election_master_status of client-go, for dashboards and alerts that use it. Its
// label name is the group. Package client-go may register the same metric.
func MasterStatus(of ...Stats) Metric {
	return masterStatus.metric([]string{"name"}, of, func(s *Stats) []string { return []string{s.Group} })
}

// metric returns a Metric. labels are its labels in the order in which whose and read return their values.
func (f *family) metric(labels []string, of []Stats, whose func(*Stats) []string) Metric {
	order := make([]int, len(labels)) // Prometheus orders labels by name
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(labels[a], labels[b]) })
	sorted := func(texts []string) (out []string) {
		for _, i := range order {
			out = append(out, strings.ToValidUTF8(texts[i], "\uFFFD"))
		}
		return out
	}
	m := Metric{Name: f.name, Help: f.help, Type: f.kind, Labels: sorted(labels)}
	for i := range of {
		s := &of[i]
		f.read(s, func(value any, more ...string) {
			one := Sample{Labels: sorted(append(whose(s), more...))}
			switch v := value.(type) {
			case *Histogram:
				one.Histogram = v
			case bool:
				if v {
					one.Value = 1
				}
			case int:
				one.Value = float64(v)
			case uint64:
				one.Value = float64(v)
			case float64:
				one.Value = v
			}
			m.Samples = append(m.Samples, one)
		})
	}
	slices.SortStableFunc(m.Samples, func(a, b Sample) int { return slices.Compare(a.Labels, b.Labels) })
	// Groups that share a Network have the same samples of it.
	m.Samples = slices.CompactFunc(m.Samples, func(a, b Sample) bool { return slices.Equal(a.Labels, b.Labels) })
	return m
}

// The escapes of the text format of Prometheus.
var (
	escapeHelp  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	escapeLabel = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

// WriteMetrics writes metrics in the text format of Prometheus, version 0.0.4. Metrics without Samples are left out.
func WriteMetrics(w io.Writer, metrics ...Metric) error {
	b := bufio.NewWriter(w) // its errors are returned by Flush
	for i := range metrics {
		m := &metrics[i]
		if len(m.Samples) == 0 {
			continue
		}
		b.WriteString("# HELP " + m.Name + " " + escapeHelp.Replace(m.Help) + "\n# TYPE " + m.Name + " " + m.Type + "\n")
		for _, s := range m.Samples {
			if s.Histogram == nil {
				m.line(b, "", s.Labels, "", s.Value)
				continue
			}
			var below uint64
			for i, n := range s.Histogram.Counts {
				below += n
				le := "+Inf"
				if i < len(s.Histogram.Bounds) {
					le = number(s.Histogram.Bounds[i].Seconds())
				}
				m.line(b, "_bucket", s.Labels, le, float64(below))
			}
			m.line(b, "_sum", s.Labels, "", s.Histogram.Sum.Seconds())
			m.line(b, "_count", s.Labels, "", float64(below))
		}
	}
	return b.Flush()
}

// line writes a sample. le is the bound of a bucket, or empty.
func (m *Metric) line(b *bufio.Writer, suffix string, labels []string, le string, value float64) {
	b.WriteString(m.Name + suffix)
	separator := byte('{')
	label := func(name, value string) {
		b.WriteByte(separator)
		b.WriteString(name + `="` + escapeLabel.Replace(value) + `"`)
		separator = ','
	}
	for i, value := range labels {
		label(m.Labels[i], value)
	}
	if le != "" {
		label("le", le)
	}
	if separator == ',' {
		b.WriteByte('}')
	}
	b.WriteString(" " + number(value) + "\n")
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
