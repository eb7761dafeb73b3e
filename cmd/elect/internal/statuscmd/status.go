// Package statuscmd is elect status: it asks members whether one leads and all agree.
package statuscmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/member"
	"github.com/go-election/election/cmd/elect/internal/parse"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/prose"
)

// The exit statuses, as monitoring systems expect them.
const (
	ok       = 0
	warning  = 1
	critical = 2
)

// words are the states by exit status.
var words = [...]string{"ok", "warning", "critical"}

// New returns elect status.
func New(a *console.Console) *cobra.Command {
	var asJSON bool
	timeout := 5 * time.Second
	cmd := &cobra.Command{Use: "status ADDRESS ...", Short: "Ask members whether one leads and all agree", Long: long,
		Example: examples, Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return status(cmd.Context(), a, args, timeout, asJSON)
		}}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object with the answers of all members")
	parse.Var(cmd.Flags(), &timeout, "timeout", "time", "how long a member may take to answer", parse.Duration)
	return cmd
}

// answer is what one member has answered.
type answer struct {
	address string
	*member.Status
	err error
}

// report is what all of them mean.
type report struct {
	state    int
	text     string   // the state in a line
	problems []string // why it is not ok, the worst first
	answers  []answer
}

func status(ctx context.Context, a *console.Console, addresses []string, timeout time.Duration, asJSON bool) error {
	var urls []*url.URL
	for i, text := range addresses {
		if slices.Contains(addresses[:i], text) {
			return input.Errorf("%.60q is given twice", text)
		}
		u, err := member.Address(text)
		if err != nil {
			return err
		}
		urls = append(urls, u)
	}
	ctx, stop := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no answer within %v", timeout))
	defer stop()
	answers := make([]answer, len(urls))
	var asking sync.WaitGroup
	for i, u := range urls {
		asking.Go(func() {
			s, err := member.Ask(ctx, http.MethodGet, u, nil)
			if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
				err = context.Cause(ctx)
			}
			answers[i] = answer{addresses[i], s, err}
		})
	}
	asking.Wait()
	r := judge(answers)
	var text string
	if asJSON {
		text = r.json()
	} else {
		text = r.String()
	}
	if _, err := io.WriteString(a.Stdout, text); err != nil {
		return exit.Failed(err)
	}
	if r.state == ok {
		return nil
	}
	return exit.WithStatus(r.state, errors.New(words[r.state]+": "+strings.Join(r.problems, "; ")))
}

// judge decides what the answers mean.
func judge(answers []answer) *report {
	r := &report{answers: answers}
	found := func(state int, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		if state > r.state { // the worst first
			r.problems = slices.Insert(r.problems, 0, text)
		} else {
			r.problems = append(r.problems, text)
		}
		r.state = max(r.state, state)
	}
	var up []answer
	for _, one := range answers {
		if one.err != nil {
			found(warning, "%s does not answer: %v", one.address, one.err)
		} else {
			up = append(up, one)
		}
	}
	if len(up) == 0 {
		found(critical, "no member answers")
		r.text = "no member answers"
		return r
	}
	group, leader, address, term := up[0].Group, "", "", uint64(0)
	var leads []string
	for _, one := range up {
		if one.Leads && !slices.Contains(leads, one.Self) {
			leads = append(leads, one.Self)
		}
		if one.Leader != "" && (one.Term > term || one.Leads && one.Term == term) {
			leader, address, term = one.Leader, one.Address, one.Term
		}
		if !one.Healthy {
			found(warning, "%s is not healthy: %s", one.Self, one.Reason)
		}
		if one.Waits != "" {
			found(warning, "%s: %s", one.Self, one.Waits)
		}
	}
	slices.Sort(leads)
	if groups := split(up, func(one answer) string { return one.Group }); len(groups) > 1 {
		found(critical, "several groups: %s", listed(groups))
	}
	switch {
	case len(leads) > 1:
		found(critical, "%d members lead: %s", len(leads), strings.Join(leads, ", "))
	case leader == "":
		found(critical, "there is no leader")
	default:
		differ(up, "leaders", func(one answer) string { return cmp.Or(one.Leader, "none") }, found)
		differ(up, "Terms", func(one answer) string { return fmt.Sprint(one.Term) }, found)
	}
	if twice := split(up, func(one answer) string { return one.Self }); len(twice) < len(up) {
		found(warning, "several addresses lead to one member: %s", listed(split(up, func(one answer) string { return one.Self })))
	}
	differ(up, "agreed members", func(one answer) string { return one.Agreed.Label + " " + strings.Join(one.Agreed.Members, " ") }, found)
	differ(up, "lists", list, found)
	differ(up, "versions", func(one answer) string { return cmp.Or(one.Version, "unknown") }, found)
	r.text = fmt.Sprintf("%s: there is no leader", group)
	if leader != "" {
		r.text = fmt.Sprintf("%s: %s leads in Term %s", group, leader, prose.Term(term))
		if address != "" {
			r.text += " and serves at " + address
		}
	}
	r.text += fmt.Sprintf(", %d of %d members answer", len(up), len(answers))
	return r
}

// differ notes a problem if the members do not all have the same value.
func differ(up []answer, what string, of func(answer) string, found func(int, string, ...any)) {
	if values := split(up, of); len(values) > 1 {
		found(warning, "%s differ: %s", what, listed(values))
	}
}

// split returns the members that have each value.
func split(up []answer, of func(answer) string) map[string][]string {
	values := make(map[string][]string)
	for _, one := range up {
		values[of(one)] = append(values[of(one)], one.Self)
	}
	return values
}

func listed(values map[string][]string) string {
	var all []string
	for _, value := range slices.Sorted(maps.Keys(values)) {
		all = append(all, fmt.Sprintf("%s at %s", cmp.Or(strings.TrimSpace(value), "none"), strings.Join(values[value], " ")))
	}
	return strings.Join(all, ", ")
}

// list returns the list of a member, or "" if it has none.
func list(one answer) string {
	for list, names := range one.Lists {
		if slices.Contains(names, one.Self) {
			return list
		}
	}
	return ""
}

// String returns the lines for people: the state with the problems, and a table.
func (r *report) String() string {
	first := []string{words[r.state] + ": " + r.text}
	for _, problem := range r.problems {
		if !strings.Contains(r.text, problem) {
			first = append(first, problem)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", strings.Join(first, "; "))
	columns := []string{"address", "member", "role", "leader", "term", "lease left", "agreed", "its list", "version", "health"}
	const agreed, version = 6, 8
	stores := !slices.ContainsFunc(r.answers, func(one answer) bool { return one.err == nil && !one.Store })
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(cells []string) {
		if stores { // it knows no members
			cells = slices.Delete(cells, agreed, version)
		}
		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	row(columns)
	for _, one := range r.answers {
		if one.err != nil {
			fmt.Fprintf(table, "%s\tdoes not answer\n", one.address)
			continue
		}
		left := ""
		if one.Leads {
			left = time.Duration(one.Left * float64(time.Second)).Round(time.Millisecond).String()
		}
		health := "ok"
		if !one.Healthy {
			health = one.Reason
		}
		row([]string{one.address, one.Self, one.Role, cmp.Or(one.Leader, "none"), prose.Term(one.Term), left,
			strings.Join(one.Agreed.Members, " "), list(one), one.Version, health})
	}
	table.Flush()
	return b.String()
}

// json returns a JSON object for programs.
func (r *report) json() string {
	type one struct {
		Address string          `json:"address"`
		Error   string          `json:"error,omitempty"`
		Status  json.RawMessage `json:"status,omitempty"` // as the member has answered
	}
	out := struct {
		State    string   `json:"state"`
		Text     string   `json:"text"`
		Problems []string `json:"problems"`
		Members  []one    `json:"members"`
	}{State: words[r.state], Text: r.text, Problems: append([]string{}, r.problems...)}
	for _, a := range r.answers {
		o := one{Address: a.address}
		if a.err != nil {
			o.Error = a.err.Error()
		} else {
			o.Status = a.Complete
		}
		out.Members = append(out.Members, o)
	}
	text, err := json.Marshal(out)
	if err != nil {
		panic(err) // texts, and JSON that was read
	}
	return string(text) + "\n"
}
