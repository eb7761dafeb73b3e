package elector_test

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport/tcp"
)

// TestDir: with a Dir, Terms continue after a restart of all members, even if clocks have gone back, as they do in a
// bubble. Files that are damaged or belong to another member are errors that tell what to do.
func TestDir(t *testing.T) {
	dir := t.TempDir()
	var first, last uint64
	for range 3 {
		inBubble(t, func(c *elector.Config) { c.Dir = dir }, func(t *testing.T, _ group, m *member) {
			terms, _ := m.tenures()
			require.Greater(t, terms[0].Token(), last)
			last = terms[0].Token()
			if first == 0 {
				first = last
			}
			require.Less(t, last, first+100)
		})
	}
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, file := range files {
		info, err := file.Info()
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode(), "%s is its owner's alone", file.Name())
	}
	b, err := os.ReadFile(filepath.Join(dir, "g,a.state"))
	require.NoError(t, err)
	for want, wrong := range map[string][]byte{
		"the checksum is wrong":                                  b[:len(b)-1],
		`instead of "election state 2 group \"g\" member \"a\""`: append([]byte("x"), b...),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "g,a.state"), wrong, 0o600))
		_, err := elector.New(elector.Config{Group: "g", Self: "a", Members: map[string]string{"a": ""},
			Dir: dir})
		require.ErrorIs(t, err, election.ErrInput)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "delete it")
	}
}

// TestDirNew: if all members start with an empty Dir, after a time without Dir or after all Dirs were lost, the next
// Term is larger than the last one.
func TestDirNew(t *testing.T) {
	var dir string
	dirs := []string{t.TempDir(), t.TempDir()}
	inBubble(t, func(c *elector.Config) { c.Dir = dir }, func(t *testing.T, g group, _ *member) {
		for _, dir = range dirs {
			before := maps.Clone(g)
			var last uint64
			for _, m := range before {
				m.end(t)
			}
			for _, m := range before {
				terms, _ := m.tenures()
				for _, term := range terms {
					last = max(last, term.Token())
				}
				m.again()
			}
			time.Sleep(5 * time.Second)
			terms, _ := g.leader(t).tenures()
			require.Greater(t, terms[0].Token(), last)
		}
	})
}

// TestDirUnwritable: New returns an error if the first vote could not be stored. In a Dir that it can write to, it
// creates only the Dir and the lock file.
func TestDirUnwritable(t *testing.T) {
	dir := t.TempDir()
	c := elector.Config{Group: "g", Self: "a", Members: addresses(t, "a"), Dir: dir}
	e, err := elector.New(c)
	require.NoError(t, err)
	require.NoError(t, e.Close())
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
	require.Equal(t, "g,a.lock", left[0].Name())
	if runtime.GOOS == "linux" {
		c.Dir = "/proc/self" // no file can be made there, not even by root
		_, err = elector.New(c)
		require.ErrorContains(t, err, "elector: Dir: open /proc/self/g,a.state")
	}
}

// TestDirLocked: a second program that runs as the same member over the same Dir is refused until the first
// has ended, and other members and groups are not.
func TestDirLocked(t *testing.T) {
	c := elector.Config{Group: "g", Self: "a", Members: addresses(t, "a", "b"), Dir: t.TempDir()}
	e, err := elector.New(c)
	require.NoError(t, err)
	again := c
	again.Members = addresses(t, "a") // or the address would be in use
	_, err = elector.New(again)
	require.ErrorContains(t, err, "elector: Dir: "+filepath.Join(c.Dir, "g,a.lock")+
		": another program runs as this member")
	for _, other := range []elector.Config{
		{Group: "g", Self: "b", Members: c.Members, Dir: c.Dir},
		{Group: "h", Self: "a", Members: again.Members, Dir: c.Dir},
		{Group: "g", Self: "a", Members: again.Members, Dir: t.TempDir()},
	} {
		o, err := elector.New(other)
		require.NoError(t, err)
		require.NoError(t, o.Close())
	}
	require.NoError(t, e.Close())
	for range 2 { // an error of New leaves nothing locked
		again.TLS = &tcp.TLS{}
		_, err = elector.New(again)
		require.ErrorIs(t, err, election.ErrInput)
	}
	again.TLS = nil
	e, err = elector.New(again)
	require.NoError(t, err)
	require.NoError(t, e.Close())
}
