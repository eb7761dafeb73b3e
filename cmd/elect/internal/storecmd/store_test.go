package storecmd

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/cmd/elect/internal/stores"
	"github.com/go-election/election/store"
	"github.com/go-election/election/store/memstore"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ran carries out elect store test.
func ran(t *testing.T, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	a := console.New(nil, strings.NewReader(""), &out, &errs)
	cmd := New(a)
	cmd.SetArgs(append([]string{"test"}, args...))
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.ExecuteContext(t.Context())
	for _, line := range exit.Lines(err) {
		a.Complain(line)
	}
	return exit.Status(err), out.String(), errs.String()
}

// add adds an engine until the test ends.
func add(t *testing.T, e *stores.Engine) {
	before := stores.Engines
	stores.Engines = append(stores.Engines[:len(before):len(before)], e)
	t.Cleanup(func() { stores.Engines = before })
}

// blind is a store in memory that writes whatever the revision is.
type blind struct{ *memstore.Store }

func (b blind) Put(ctx context.Context, key string, value []byte, _ string) (string, error) {
	for {
		_, now, _ := b.Store.Get(ctx, key)
		if written, err := b.Store.Put(ctx, key, value, now); !errors.Is(err, store.ErrConflict) {
			return written, err
		}
	}
}

// TestGood: a store that can keep a lease passes, and the table tells what it does not promise.
func TestGood(t *testing.T) {
	s := memstore.New()
	add(t, &stores.Engine{Scheme: "memory", Open: func(context.Context, *url.URL, string) (store.Store, func() error, error) {
		return s, nil, nil
	}, Limits: []string{"It forgets everything."}, Remove: "true"})
	code, stdout, stderr := ran(t, "memory:")
	require.Zero(t, code, stderr)
	require.Empty(t, stderr)
	require.Contains(t, stdout, "\nIncrements   holds\n")
	require.Contains(t, stdout, "\nDeadline     not tested    there is no server whose connections can be cut\n")
	require.Contains(t, stdout, "\n\nWhat no test finds:\n  - It forgets everything.\n\nTo remove the keys of the test:\n  true\n")

	code, stdout, stderr = ran(t, "memory:", "--json")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, `{"property":"Close","verdict":"not tested","text":"there is nothing to close"}`+"\n")
	require.Contains(t, stdout, `{"property":"Absent","verdict":"holds"}`+"\n")
	require.NotContains(t, stdout, "What no test finds")
}

// TestBroken: a store that is wrong has status 1, and the table tells why.
func TestBroken(t *testing.T) {
	s := blind{memstore.New()}
	add(t, &stores.Engine{Scheme: "blind", Open: func(context.Context, *url.URL, string) (store.Store, func() error, error) {
		return s, nil, nil
	}})
	code, stdout, stderr := ran(t, "blind:")
	require.Equal(t, exit.StatusFailed, code)
	require.Contains(t, stdout, "\nCreate       broken        Put succeeds with an empty revision, at a key with a\n"+
		"                           value,\n")
	require.Contains(t, stderr, "elect: blind: cannot keep a lease: broken Absent, Create, Stale, CreateOnce, ")
}

// TestUnreachable: a store that cannot be opened or reached has status 1 and no findings.
func TestUnreachable(t *testing.T) {
	away := errors.New("connection refused")
	add(t, &stores.Engine{Scheme: "away", Open: func(context.Context, *url.URL, string) (store.Store, func() error, error) {
		return nil, nil, exit.Failed(away)
	}})
	for url, want := range map[string]string{
		"away:": "connection refused",
		"postgres://u:secret@127.0.0.1:1/d?connect_timeout=1": "postgres://u:xxxxx@127.0.0.1:1/d?connect_timeout=1: sqlstore: ",
		"mysql://u:secret@127.0.0.1:1/d":                      "mysql://u:xxxxx@127.0.0.1:1/d: sqlstore: ",
	} {
		code, stdout, stderr := ran(t, url)
		require.Equal(t, exit.StatusFailed, code, stderr)
		require.Empty(t, stdout)
		require.Contains(t, stderr, "elect: "+want)
		require.Contains(t, stderr, "connection refused")
		require.NotContains(t, stderr, "secret")
	}
}

// TestFile: a directory is a store.
func TestFile(t *testing.T) {
	code, stdout, stderr := ran(t, "file://"+filepath.ToSlash(t.TempDir())+"/lease")
	require.Zero(t, code, stderr)
	require.Contains(t, stdout, "\nRepeated     not promised  a revision is a checksum")
}

// TestBad: what is wrong is named.
func TestBad(t *testing.T) {
	for line, want := range map[string]string{
		"":                   "accepts 1 arg(s), received 0",
		"orders":             `"orders" is not the URL of a store, as in file:///var/lib/orders`,
		"postgre://h/d":      `"postgre://h/d": there is no store postgre: did you mean postgres?`,
		"ftp://h":            `"ftp://h": there is no store ftp; there are file, postgres, mysql`,
		"mysql:///d":         `"mysql:///d" names no host, as in mysql://USER:PASSWORD@HOST:3306/DATABASE`,
		"file://orders":      `"file://orders": the name of the directory begins with a slash, as in file:///var/lib/orders`,
		"mysql://h/d?tls=no": `mysql://h/d?tls=no: invalid value / unknown config name: no`,
	} {
		code, stdout, stderr := ran(t, strings.Fields(line)...)
		require.Equal(t, exit.StatusUsage, code, line)
		require.Equal(t, "elect: "+want+"\n", stderr)
		require.Empty(t, stdout)
	}
}
