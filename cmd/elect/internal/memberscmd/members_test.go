package memberscmd

import (
	"bytes"
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

// ran carries out elect members.
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

// answers serves one answer to every request, and keeps the last request.
func answers(t *testing.T, status int, text string) (address string, last *string) {
	last = new(string)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		*last = r.Method + " " + r.URL.String() + " " + string(body)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://"), last
}

const changing = `{"group":"orders","self":"e","role":"learner","agreed":{"label":"17.1","members":["a","b","c"],` +
	`"next":["a","b","d"],"since":"2026-11-28T15:57:23Z"},"lists":{"a b c":["a"],"a b d":["b","d"],"b c":["e"]},` +
	`"waits":"the change to a b d is in progress","leader":"a","term":459747879974401,"healthy":true}` + "\n"

// TestShow: a report names who is what, and who has which list; --json prints the answer as it is.
func TestShow(t *testing.T) {
	at, last := answers(t, http.StatusOK, changing)
	code, stdout, stderr := ran(t, at)
	require.Zero(t, code, stderr)
	require.Equal(t, "GET / ", *last)
	require.Equal(t, `group   orders, asked at e
leader  a, Term …974401
agreed  a b c (17.1, known since 2026-11-28 15:57:23)
next    a b d
waits   the change to a b d is in progress

process  role     its list
a        member   a b c
b        member   a b d
c        member   not connected
d        member   a b d
e        learner  b c
`, stdout)
	_, stdout, _ = ran(t, "http://"+at+"/election/", "--json")
	require.Equal(t, "GET /election/ ", *last)
	require.Equal(t, changing, stdout)

	at, _ = answers(t, http.StatusOK, `{"group":"orders","self":"a","role":"member","lists":{"a b":["a"],"a c":["c"],"a":["b"]},`+
		`"waits":"the group is not founded: that needs all of a b","healthy":false,"reason":"it is not founded"}`)
	_, stdout, _ = ran(t, at)
	require.Equal(t, `group   orders, asked at a
leader  none
agreed  none yet: the group is not founded
waits   the group is not founded: that needs all of a b
ill     it is not founded

process  role       its list
a        member     a b
b        no member  a
c        learner    a c
`, stdout)
	at, _ = answers(t, http.StatusOK, `{"self":"a","role":"member","agreed":{"members":["a","b"],"called":true},"lists":`+
		`{"a":["b"],"a b":["a"]},"healthy":true}`)
	_, stdout, _ = ran(t, at)
	require.Contains(t, stdout, "set     by elect members set, and the lists differ: correct them, or set the members again\n")
	require.Contains(t, stdout, "b        leaving  a\n")
}

// TestInStore: if a store keeps the lease, the report does not look for members.
func TestInStore(t *testing.T) {
	at, _ := answers(t, http.StatusOK, `{"group":"orders","self":"a","role":"member","store":true,"members":null,"lists":null,`+
		`"leader":"b","term":17,"healthy":false,"reason":"no disk"}`)
	code, stdout, stderr := ran(t, at)
	require.Zero(t, code, stderr)
	require.Equal(t, `group   orders, asked at a
leader  b, Term 17
lease   in a store: the group has no list of members; any process that can write to the store can lead
ill     no disk
`, stdout)
}

// TestSet: the members are sent to /members unless there is another path. An error of the member is printed.
func TestSet(t *testing.T) {
	at, last := answers(t, http.StatusOK, changing)
	code, stdout, stderr := ran(t, "set", at, "a=h:1", "b")
	require.Zero(t, code, stderr)
	require.Equal(t, `PUT /members {"a":"h:1","b":""}`, *last)
	require.Contains(t, stdout, "agreed  a b c (17.1, ")
	_, stdout, _ = ran(t, "set", "http://"+at+"/change", "a", "--json")
	require.Equal(t, `PUT /change {"a":""}`, *last)
	require.Equal(t, changing, stdout)

	at, _ = answers(t, http.StatusConflict, "members do not answer: d\n")
	code, stdout, stderr = ran(t, "set", at, "a")
	require.Equal(t, exit.StatusFailed, code)
	require.Empty(t, stdout)
	require.Equal(t, "elect: http://"+at+"/members: members do not answer: d\n", stderr)
}

// TestBad: what is wrong is named.
func TestBad(t *testing.T) {
	for line, want := range map[string]string{
		"":                       "accepts 1 arg(s), received 0",
		"10.0.0.1:1 x":           "accepts 1 arg(s), received 2",
		"ftp://h":                `"ftp://h" is not the URL of a member, as in 10.0.0.1:8080`,
		"http://":                `"http://" is not the URL of a member, as in 10.0.0.1:8080`,
		"set 10.0.0.1:1":         "requires at least 2 arg(s), only received 1",
		"set 10.0.0.1:1 a a=h:1": `"a" is given twice`,
	} {
		code, stdout, stderr := ran(t, strings.Fields(line)...)
		require.Equal(t, exit.StatusUsage, code, line)
		require.Equal(t, "elect: "+want+"\n", stderr)
		require.Empty(t, stdout)
	}
	for text, status := range map[string]int{"": 404, "no": 405} {
		at, _ := answers(t, status, text)
		code, _, stderr := ran(t, at)
		require.Equal(t, exit.StatusFailed, code)
		require.Contains(t, stderr, ": it is not the URL of a member for this command\n")
	}
	for _, text := range []string{"", "<html>", "{}", "[]"} {
		at, _ := answers(t, http.StatusOK, text)
		code, _, stderr := ran(t, at)
		require.Equal(t, exit.StatusFailed, code)
		require.Equal(t, "elect: http://"+at+"/: the answer is not the state of a member\n", stderr)
	}
	at, _ := answers(t, http.StatusOK, changing)
	code, _, stderr := ran(t, "http://"+at+"x")
	require.Equal(t, exit.StatusUsage, code, stderr)
}
