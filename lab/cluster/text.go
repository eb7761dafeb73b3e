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
func (e Event) String() string { return fmt.Sprintf("%9s  %s", seconds(e.At), e.Words()) }

// Words returns what has happened, without the time.
func (e Event) Words() string {
	switch {
	case e.What == "leads" && e.After != "":
		return fmt.Sprintf("%s leads in Term %s, %s after %s", e.Member, prose.Term(e.Term), millis(e.Gap), e.After)
	case e.What == "leads":
		return fmt.Sprintf("%s leads in Term %s", e.Member, prose.Term(e.Term))
	case e.What == "ends":
		return e.Member + " leads no more"
	case e.What == "ended":
		return fmt.Sprintf("%s has ended: %s", e.Member, e.Text)
	}
	return strings.TrimSpace(e.What + " " + e.Member)
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
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", l.Member, prose.Term(l.Term), seconds(l.From), seconds(l.Until), began)
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
