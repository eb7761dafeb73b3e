package statuscmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ran carries out elect status.
func ran(t *testing.T, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	a := console.New(nil, strings.NewReader(""), &out, &errs)
	cmd := New(a)
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.ExecuteContext(t.Context())
	for _, line := range exit.Lines(err) {
		a.Complain(line)
	}
	http.DefaultClient.CloseIdleConnections()
	return exit.Status(err), out.String(), errs.String()
}

// serves returns the address of a member that answers so.
func serves(t *testing.T, text string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// state returns the answer of a healthy member of orders, in which changes replace fields.
func state(self string, changes ...string) string {
	text := fmt.Sprintf(`{"group":"orders","self":%q,"role":"member","agreed":{"label":"17.1","members":["a","b","c"]},`+
		`"lists":{"a b c":["a","b","c"]},"leader":"a","term":17,"leads":%t,"lease_left_seconds":0.5,"healthy":true,"version":"v1.2.0"}`,
		self, self == "a")
	return strings.NewReplacer(changes...).Replace(text)
}

// TestStatus: the state, the exit status and the line on standard error for each kind of trouble.
func TestStatus(t *testing.T) {
	for name, test := range map[string]struct {
		answers []string
		code    int
		first   string
		problem string
	}{
		"ok":       {[]string{state("a"), state("b"), state("c")}, 0, "ok: orders: a leads in Term 17, 3 of 3 members answer", ""},
		"follower": {[]string{state("b")}, 0, "ok: orders: a leads in Term 17, 1 of 1 members answer", ""},
		"address": {[]string{state("b", `"leader":"a"`, `"leader":"a","address":"10.0.0.1:8080"`)}, 0,
			"ok: orders: a leads in Term 17 and serves at 10.0.0.1:8080, 1 of 1 members answer", ""},
		"no leader": {[]string{state("b", `"leader":"a"`, `"leader":""`)}, 2, "critical: orders: there is no leader, 1 of 1 members answer",
			"critical: there is no leader"},
		"two leaders": {[]string{state("a"), state("b", `"leads":false`, `"leads":true`, `"leader":"a"`, `"leader":"b"`, `"term":17`, `"term":18`)}, 2,
			"critical: orders: b leads in Term 18, 2 of 2 members answer", "critical: 2 members lead: a, b"},
		"other leader": {[]string{state("a"), state("b", `"leader":"a"`, `"leader":"c"`, `"term":17`, `"term":16`)}, 1,
			"warning: orders: a leads in Term 17, 2 of 2 members answer", "warning: leaders differ: a at a, c at b; Terms differ: 16 at b, 17 at a"},
		"ill": {[]string{state("a"), state("b", `"healthy":true`, `"healthy":false,"reason":"no disk"`)}, 1,
			"warning: orders: a leads in Term 17, 2 of 2 members answer", "warning: b is not healthy: no disk"},
		"lists": {[]string{state("a", `"a b c":["a","b","c"]`, `"a b c":["a"],"a b d":["b"]`, `"leader"`, `"waits":"1 of 3 wish a b d","leader"`),
			state("b", `"a b c":["a","b","c"]`, `"a b d":["b"]`)}, 1,
			"warning: orders: a leads in Term 17, 2 of 2 members answer", "warning: a: 1 of 3 wish a b d; lists differ: a b c at a, a b d at b"},
		"agreed": {[]string{state("a"), state("b", `17.1`, `16.2`)}, 1, "warning: orders: a leads in Term 17, 2 of 2 members answer",
			"warning: agreed members differ: 16.2 a b c at b, 17.1 a b c at a"},
		"versions": {[]string{state("a"), state("b", `v1.2.0`, `v1.3.0`)}, 1, "warning: orders: a leads in Term 17, 2 of 2 members answer",
			"warning: versions differ: v1.2.0 at a, v1.3.0 at b"},
		"groups": {[]string{state("a"), state("b", `"orders"`, `"bills"`)}, 2, "critical: orders: a leads in Term 17, 2 of 2 members answer",
			"critical: several groups: bills at b, orders at a"},
		"no member": {[]string{"<html>"}, 2, "critical: no member answers", "critical: no member answers; ADDRESS0 does not answer: http://ADDRESS0/: the answer is not the state of a member"},
		"one is down": {[]string{state("a"), "{}"}, 1, "warning: orders: a leads in Term 17, 1 of 2 members answer",
			"warning: ADDRESS1 does not answer: http://ADDRESS1/: the answer is not the state of a member"},
		"twice": {[]string{state("a"), state("a")}, 1, "warning: orders: a leads in Term 17, 2 of 2 members answer",
			"warning: several addresses lead to one member: a at a a"},
	} {
		var at []string
		for _, text := range test.answers {
			at = append(at, serves(t, text))
		}
		code, stdout, stderr := ran(t, at...)
		require.Equal(t, test.code, code, name)
		want := test.problem
		for i, address := range at {
			want = strings.ReplaceAll(want, fmt.Sprintf("ADDRESS%d", i), address)
		}
		line := test.first
		if _, problems, ok := strings.Cut(want, ": "); ok {
			for problem := range strings.SplitSeq(problems, "; ") {
				if !strings.Contains(test.first, problem) {
					line += "; " + problem
				}
			}
		}
		first, _, _ := strings.Cut(stdout, "\n")
		require.Equal(t, line, first, name)
		if want != "" {
			want = "elect: " + want + "\n"
		}
		require.Equal(t, want, stderr, name)
	}
}

// TestStatusTable: the table has a row for each address, in the order of the command line.
func TestStatusTable(t *testing.T) {
	answering, silent := serves(t, state("a")), serves(t, "")
	_, stdout, _ := ran(t, answering, silent)
	lines := strings.Split(stdout, "\n")
	require.Equal(t, strings.Fields("address member role leader term lease left agreed its list version health"), strings.Fields(lines[2]))
	require.Equal(t, strings.Fields(answering+" a member a 17 500ms a b c a b c v1.2.0 ok"), strings.Fields(lines[3]))
	require.Equal(t, strings.Fields(silent+" does not answer"), strings.Fields(lines[4]))

	_, stdout, _ = ran(t, serves(t, `{"group":"orders","self":"a","role":"member","store":true,"leader":"a","term":17,"healthy":true}`))
	require.Equal(t, strings.Fields("address member role leader term lease left version health"), strings.Fields(strings.Split(stdout, "\n")[2]))

	code, stdout, _ := ran(t, "--json", answering, silent)
	require.Equal(t, 1, code)
	var out struct {
		State    string
		Problems []string
		Members  []struct {
			Address, Error string
			Status         json.RawMessage
		}
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &out))
	require.Equal(t, "warning", out.State)
	require.Len(t, out.Problems, 1)
	require.Equal(t, answering, out.Members[0].Address)
	require.JSONEq(t, state("a"), string(out.Members[0].Status))
	require.Contains(t, out.Members[1].Error, "the answer is not the state of a member")
}

// TestBadStatus: what is wrong is named. A member that does not answer in time counts as down.
func TestBadStatus(t *testing.T) {
	for line, want := range map[string]string{
		"":                "requires at least 1 arg(s), only received 0",
		"ftp://h":         `"ftp://h" is not the URL of a member, as in 10.0.0.1:8080`,
		"h:1 h:1":         `"h:1" is given twice`,
		"h:1 --timeout 3": `invalid argument "3" for "--timeout" flag: --timeout: "3" is not a time, as in 20ms or 1.5s`,
	} {
		code, stdout, stderr := ran(t, strings.Fields(line)...)
		require.Equal(t, exit.StatusUsage, code, line)
		require.Contains(t, stderr, want)
		require.Empty(t, stdout)
	}
	hangs := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hangs }))
	defer s.Close()
	defer close(hangs)
	code, stdout, stderr := ran(t, "--timeout", "10ms", s.URL)
	require.Equal(t, 2, code)
	require.True(t, strings.HasPrefix(stdout, "critical: no member answers; "))
	require.Contains(t, stderr, "no answer within 10ms")
}
