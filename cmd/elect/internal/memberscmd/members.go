// Package memberscmd is elect members: it shows the members of a group, and changes them.
package memberscmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/member"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/prose"
)

// New returns elect members.
func New(a *console.Console) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "members URL", Short: "Show the members of a group, or change them", Long: long,
		Example: examples, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return show(cmd.Context(), a, args[0], asJSON) }}
	set := &cobra.Command{Use: "set URL NAME=HOST:PORT ...", Short: "Change the members of a group", Long: longSet,
		Example: examplesSet, Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return change(cmd.Context(), a, args[0], args[1:], asJSON)
		}}
	cmd.PersistentFlags().BoolVar(&asJSON, "json", false, "print the state of the member as JSON, as it answers")
	cmd.AddCommand(set)
	return cmd
}

func show(ctx context.Context, a *console.Console, where string, asJSON bool) error {
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	u, err := member.Address(where)
	if err != nil {
		return err
	}
	return ask(ctx, a, http.MethodGet, u, nil, asJSON)
}

func change(ctx context.Context, a *console.Console, where string, members []string, asJSON bool) error {
	u, err := member.Address(where)
	if err != nil {
		return err
	}
	if u.Path == "/" {
		u.Path = "/members"
	}
	list := make(map[string]string)
	for _, m := range members {
		name, at, _ := strings.Cut(m, "=")
		if _, again := list[name]; again {
			return input.Errorf("%.60q is given twice", name)
		}
		list[name] = at
	}
	body, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return ask(ctx, a, http.MethodPut, u, body, asJSON)
}

// ask sends a request to a member, and prints its state.
func ask(ctx context.Context, a *console.Console, method string, u *url.URL, body []byte, asJSON bool) error {
	s, err := member.Ask(ctx, method, u, body)
	if err != nil {
		return err
	}
	if asJSON {
		_, err = a.Stdout.Write(s.Complete)
	} else {
		_, err = io.WriteString(a.Stdout, report(s))
	}
	return exit.Failed(err)
}

// report returns the lines of a report.
func report(s *member.Status) string {
	var b strings.Builder
	line := func(word, format string, args ...any) {
		fmt.Fprintf(&b, "%-8s%s\n", word, fmt.Sprintf(format, args...))
	}
	leader := "none"
	if s.Leader != "" {
		leader = fmt.Sprintf("%s, Term %s", s.Leader, prose.Term(s.Term))
	}
	line("group", "%s, asked at %s", s.Group, s.Self)
	line("leader", "%s", leader)
	if s.Store {
		line("lease", "in a store: the group has no list of members; any process that can write to the store can lead")
		if !s.Healthy {
			line("ill", "%s", s.Reason)
		}
		return b.String()
	}
	agreed := "none yet: the group is not founded"
	if len(s.Agreed.Members) > 0 {
		agreed = fmt.Sprintf("%s (%s, known since %s)", spaced(s.Agreed.Members), s.Agreed.Label,
			s.Agreed.Since.UTC().Format(time.DateTime))
	}
	line("agreed", "%s", agreed)
	if len(s.Agreed.Next) > 0 {
		line("next", "%s", spaced(s.Agreed.Next))
	}
	if s.Agreed.Called {
		line("set", "by elect members set, and the lists differ: correct them, or set the members again")
	}
	if s.Waits != "" {
		line("waits", "%s", s.Waits)
	}
	if !s.Healthy {
		line("ill", "%s", s.Reason)
	}
	b.WriteByte('\n')
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "process\trole\tits list")
	lists := byName(s)
	for _, name := range slices.Sorted(maps.Keys(lists)) {
		fmt.Fprintf(table, "%s\t%s\t%s\n", name, role(s, name, lists[name]), cmp.Or(lists[name], "not connected"))
	}
	table.Flush()
	return b.String()
}

// byName returns the lists by process. The list of a process that is not connected is empty.
func byName(s *member.Status) map[string]string {
	lists := make(map[string]string)
	for _, name := range slices.Concat(s.Agreed.Members, s.Agreed.Next) {
		lists[name] = ""
	}
	for list, names := range s.Lists {
		for _, name := range names {
			lists[name] = list
		}
	}
	return lists
}

// role returns the role of a process, as far as the process that answered knows.
func role(s *member.Status, name, list string) string {
	votes := slices.Contains(s.Agreed.Members, name) || slices.Contains(s.Agreed.Next, name)
	listed := slices.Contains(strings.Fields(list), name)
	switch {
	case name == s.Self:
		return s.Role
	case votes && (listed || list == ""):
		return elector.Member.String()
	case votes:
		return elector.Leaving.String()
	case listed:
		return elector.Learner.String()
	}
	return "no member"
}

func spaced(names []string) string { return strings.Join(names, " ") }
