package cluster

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/go-election/election/internal/prose"
)

// String returns the event in a line.
func (e Event) String() string {
	text := fmt.Sprintf("%9s  ", seconds(e.At))
	switch {
	case e.What == "leads" && e.After != "":
		return text + fmt.Sprintf("%s leads in Term %d, %s after %s", e.Member, e.Term, millis(e.Gap),
			e.After)
	case e.What == "leads":
		return text + fmt.Sprintf("%s leads in Term %d", e.Member, e.Term)
	case e.What == "ends":
		return text + fmt.Sprintf("%s leads no more", e.Member)
	case e.What == "ended":
		return text + fmt.Sprintf("%s has ended: %s", e.Member, e.Text)
	}
	return text + strings.TrimSpace(e.What+" "+e.Member)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f s", d.Seconds()) }

func millis(d time.Duration) string {
	if ms := float64(d) / float64(time.Millisecond); ms < 100 {
		return fmt.Sprintf("%.1f ms", ms)
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}

// WriteJSON writes an object with the verdict on one line.
func (s *Summary) WriteJSON(w io.Writer) error {
	verdict := "one leader at a time"
	if err := s.Err(); err != nil {
		verdict = err.Error()
	}
	return json.NewEncoder(w).Encode(struct {
		*Summary
		Verdict string `json:"verdict"`
	}{s, verdict})
}

// Text returns the leases as a table, and the verdict below.
func (s *Summary) Text() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "leader\tTerm\tfrom\tuntil\tbegan after")
	for _, l := range s.Leases {
		began := "-"
		if l.After != "" {
			began = fmt.Sprintf("%s + %s", l.After, millis(l.Gap))
		} else if l.Gap > 0 {
			began = millis(l.Gap) + " without a leader"
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\n", l.Member, l.Term, seconds(l.From), seconds(l.Until), began)
	}
	_ = w.Flush() // a Builder takes everything
	verdict := "no two leases were valid at once"
	if err := s.Err(); err != nil {
		verdict = strings.TrimPrefix(err.Error(), "cluster: ")
	}
	fmt.Fprintf(&b, "\n%s in %s: %s packets, %s bytes; %s\n", prose.Plural(len(s.Leases), "lease"),
		seconds(s.Took), prose.Grouped(s.Packets), prose.Grouped(s.Bytes), verdict)
	return b.String()
}

// Text returns the state as a table of the members, and the last leases below.
func (s *State) Text() string {
	var b strings.Builder
	leader := "no leader"
	if s.Leader != "" {
		leader = s.Leader + " leads"
	}
	fmt.Fprintf(&b, "%s   %s\n\n", seconds(s.At), leader)
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	// The headings are short: a pid has up to 7 digits, a Term of elector 15, and a terminal 80 columns.
	fmt.Fprintln(w, "member\tpid\tstate\tfollows\tTerm\tlease\tpackets/s\tbytes/s")
	for _, m := range s.Members {
		left, follows := "-", "-"
		if m.Left > 0 {
			left = millis(m.Left)
		}
		if m.Leader != "" {
			follows = m.Leader
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%d\t%s\t%.0f\t%.0f\n", m.Name, m.PID, m.Condition, follows, m.Term,
			left,
			m.Packets, m.Bytes)
	}
	_ = w.Flush()
	b.WriteString("\n")
	const most = 8
	for _, l := range s.Leases[max(len(s.Leases)-most, 0):] {
		e := Event{At: l.From, What: "leads", Member: l.Member, Term: l.Term, After: l.After, Gap: l.Gap}
		b.WriteString(e.String() + "\n")
	}
	return b.String()
}
