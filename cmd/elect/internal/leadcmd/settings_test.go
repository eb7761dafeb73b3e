package leadcmd

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/input"
	"github.com/go-election/election/transport/memory"
)

// file writes a file of settings, and returns its name.
func file(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "a.json")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

const whole = `{"group": "orders", "self": "a", "members": {"a": "127.0.0.1:1", "b": "127.0.0.1:2"},
	"observers": {"p": "127.0.0.1:3"}, "times": "cloud", "advertise": "10.0.0.1:8080", "dir": "/d", "insecure_plaintext": true, "once": true}`

// TestSettings: a flag comes before a variable, and a variable before the file.
func TestSettings(t *testing.T) {
	path := file(t, whole)
	w, err := given(t, "--config "+path).work(nil, nil)
	require.NoError(t, err)
	require.Equal(t, elector.Config{Group: "orders", Self: "a", Dir: "/d", Times: elector.Cloud(), Advertise: "10.0.0.1:8080",
		Members:           map[string]string{"a": "127.0.0.1:1", "b": "127.0.0.1:2"},
		Observers:         map[string]string{"p": "127.0.0.1:3"},
		InsecurePlaintext: true}, w.config)
	require.True(t, w.once)

	t.Setenv("ELECTION_TIMES", "lan")
	t.Setenv("ELECTION_DIR", "/e")
	w, err = given(t, "--times 7s --member a=127.0.0.1:9 --member c=127.0.0.1:8 --config "+path).work(nil, nil)
	require.NoError(t, err)
	require.Equal(t, 7*time.Second, w.config.Times.Lease)
	require.Equal(t, "/e", w.config.Dir)
	require.Equal(t, map[string]string{"a": "127.0.0.1:9", "c": "127.0.0.1:8"}, w.config.Members)
}

// TestBadSettings: an error names the flag, the variable, or the file and the field.
func TestBadSettings(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "PATH: it is no JSON object: EOF",
		"[]":                                  "PATH: it is no JSON object: json: cannot unmarshal array into Go value of type map[string]interface {}",
		"{}{}":                                "PATH: there is more behind the JSON object",
		`{"member": {}}`:                      `PATH: "member" is not one of self, members, observers, store, resolve, listen, advertise, group, tls_cert, tls_key, tls_ca, tls_cluster, insecure_plaintext, dir, times, http, control, once: did you mean members?`,
		`{"self": 7}`:                         "PATH: self: it is neither a text nor true or false",
		`{"members": true}`:                   `PATH: members: it is not an object of names and addresses, as in {"a": "10.0.0.1:7946"}`,
		`{"members": {"a": 7}}`:               `PATH: members: "a": an address is a text, and a name has no comma and no =`,
		`{"members": {"a=b": ""}}`:            `PATH: members: "a=b": an address is a text, and a name has no comma and no =`,
		`{}`:                                  "--self: it is not set: it is the name of this member",
		`{"self": "a"}`:                       "--member: it is not set: it is the members, as in a=10.0.0.1:7946,b=10.0.0.2:7946",
		`{"self": "a", "members": {"a": ""}}`: `PATH: members: "a" is not name=host:port`,
		`{"self": "c", "members": "a=127.0.0.1:1"}`:              `PATH: self: "c" is not in PATH: members, which has a; correct the name, or set --listen if this member is being removed`,
		`{"self": "a", "members": "a=h:1", "times": "x"}`:        `PATH: times: "x" is neither lan, cloud, wan nor a time; a time is written as in 750ms or 1.5s`,
		`{"self": "a", "members": "a=127.0.0.1:1", "once": "x"}`: `PATH: once: "x" is neither true nor false`,
	} {
		path := file(t, text)
		_, err := given(t, "--config "+path).work(nil, nil)
		require.Error(t, err, text)
		require.Equal(t, strings.ReplaceAll(want, "PATH", path), input.Reason(err), text)
	}
	t.Setenv("ELECTION_TIMES", "x")
	_, err := given(t, "--self a --member a=h:1").work(nil, nil)
	require.EqualError(t, err, `ELECTION_TIMES: "x" is neither lan, cloud, wan nor a time; a time is written as in 750ms or 1.5s`)
}

// TestReload: a member that reads its settings again wishes other members; other changes are refused by name.
func TestReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := file(t, `{"self": "a", "members": {"a": "127.0.0.1:1"}}`)
		s := given(t, "--config "+path+" --times 20ms")
		w, err := s.work(nil, nil)
		require.NoError(t, err)
		w.config.Transport, err = memory.New().Endpoint(elector.ID("a"))
		require.NoError(t, err)
		e, err := elector.New(w.config)
		require.NoError(t, err)
		change := func(text string) ([]string, error) {
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			return s.reload(e)
		}
		served := make(chan error, 1)
		ctx, stop := context.WithCancel(t.Context())
		founding := make(chan struct{})
		go func() {
			<-founding
			served <- e.Run(ctx, func(ctx context.Context, _ elector.Term) error {
				<-ctx.Done()
				return nil
			})
		}()
		defer func() {
			stop()
			require.NoError(t, <-served)
		}()
		members, err := change(`{"self": "a", "members": "a=127.0.0.1:1"}`)
		require.NoError(t, err)
		require.Equal(t, []string{"a"}, members)
		for text, want := range map[string]string{
			"{": "PATH: it is no JSON object: unexpected EOF",
			`{"self": "b", "members": {"b": ""}, "listen": ":7"}`:                "PATH: self, PATH: listen: only members can change while this member runs: restart it, or undo the change",
			`{"self": "a", "members": {"a": "127.0.0.1:1", "b": "127.0.0.1:1"}}`: "members: the group is not founded as far as this member knows: restart it with the new list",
		} {
			_, err := change(text)
			require.Error(t, err)
			require.Equal(t, strings.ReplaceAll(want, "PATH", path), input.Reason(err))
		}
		close(founding)
		time.Sleep(time.Second)
		members, err = change(`{"self": "a", "members": {"a": "127.0.0.1:1", "b": "127.0.0.1:2"}}`)
		require.NoError(t, err)
		require.Equal(t, []string{"a", "b"}, members)
		require.Equal(t, map[string][]string{"a b": {"a"}}, e.Members().Lists)
		_, err = change(`{"self": "a", "members": {"a": "127.0.0.1:9", "b": "127.0.0.1:2"}}`)
		require.ErrorContains(t, err, "the address of this member")
	})
}

// TestNotify: systemd learns that the member is ready, who leads, and that it stops; the program does not get its socket.
func TestNotify(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "notify")
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	require.NoError(t, err)
	defer l.Close()
	t.Setenv("NOTIFY_SOCKET", socket)
	code, stdout, stderr := leads(t, "--once "+alone, "", "sh", "-c", "echo socket $NOTIFY_SOCKET")
	require.Zero(t, code, stderr)
	require.Equal(t, "socket\n", stdout)
	var all []string
	for len(all) == 0 || all[len(all)-1] != "STOPPING=1" {
		b := make([]byte, 1000)
		n, err := l.Read(b)
		require.NoError(t, err)
		all = append(all, string(b[:n]))
	}
	require.Equal(t, "READY=1", all[0])
	require.True(t, slices.ContainsFunc(all, func(text string) bool {
		return strings.HasPrefix(text, "STATUS=elected: leader a, term ")
	}), all)

	t.Setenv("NOTIFY_SOCKET", socket+"2")
	code, _, stderr = leads(t, "--once "+alone, "", "true")
	require.Zero(t, code)
	require.Contains(t, stderr, `level=ERROR msg="systemd is not told" group=lead member=a err="dial unixgram`)
}
