package elector

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/transport/memory"
)

// onDisk runs a test of a member that runs and has a Dir.
func onDisk(t *testing.T, test func(t *testing.T, e *Elector, dir string, healthz func() (string, time.Duration))) {
	dir := filepath.Join(t.TempDir(), "state")
	synctest.Test(t, func(t *testing.T) {
		endpoint, err := memory.New().Endpoint(ID("a"))
		require.NoError(t, err)
		e, err := New(Config{Group: "g", Self: "a", Members: named("a"), Transport: endpoint, Dir: dir})
		require.NoError(t, err)
		ended := make(chan error, 1)
		ctx, stop := context.WithCancel(t.Context())
		go func() { ended <- e.Serve(ctx) }()
		time.Sleep(time.Second)
		test(t, e, dir, func() (string, time.Duration) {
			began, w := time.Now(), httptest.NewRecorder()
			// A voter alone knows no leader: that comes after the disk.
			e.mu.Lock()
			e.vacant = e.clock()
			e.mu.Unlock()
			e.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/healthz", http.NoBody))
			text := strings.TrimSpace(w.Body.String())
			require.Equal(t, text == "", w.Code == http.StatusOK)
			return text, time.Since(began)
		})
		stop()
		require.NoError(t, <-ended)
	})
}

// TestDiskIsGone: /healthz reports that no state can be stored before a vote has to be, and that it can again.
func TestDiskIsGone(t *testing.T) {
	onDisk(t, func(t *testing.T, _ *Elector, dir string, healthz func() (string, time.Duration)) {
		text, _ := healthz()
		require.Empty(t, text)
		require.NoError(t, os.Rename(dir, dir+".away"))
		text, _ = healthz()
		require.Empty(t, text, "one try in five seconds")
		time.Sleep(5 * time.Second)
		text, _ = healthz()
		require.Contains(t, text, "Dir cannot be written, so the next vote will end this member: ")
		require.NoError(t, os.Rename(dir+".away", dir))
		time.Sleep(5 * time.Second)
		text, _ = healthz()
		require.Empty(t, text)
		files, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, file := range files {
			require.NotContains(t, file.Name(), ".try")
		}
	})
}

// TestDiskIsFull: the probe returns the error of a full disk.
func TestDiskIsFull(t *testing.T) {
	onDisk(t, func(t *testing.T, e *Elector, _ string, healthz func() (string, time.Duration)) {
		e.disk.try = func() error { return errors.New("no space left on device") }
		text, _ := healthz()
		require.Contains(t, text, "no space left on device")
	})
}

// TestDiskHangs: while a disk hangs, probes answer soon, and do not begin another try.
func TestDiskHangs(t *testing.T) {
	onDisk(t, func(t *testing.T, e *Elector, _ string, healthz func() (string, time.Duration)) {
		var tries atomic.Int64
		release := make(chan struct{})
		e.disk.try = func() error {
			tries.Add(1)
			<-release
			return nil
		}
		text, took := healthz()
		require.Empty(t, text, "it may be slow")
		require.LessOrEqual(t, took, 100*time.Millisecond)
		time.Sleep(time.Second)
		for range 1000 {
			text, took = healthz()
			require.Contains(t, text, "the disk of Dir has not answered for ")
			require.LessOrEqual(t, took, 100*time.Millisecond)
		}
		require.EqualValues(t, 1, tries.Load())
		close(release)
		synctest.Wait()
		text, _ = healthz()
		require.Empty(t, text)
		require.EqualValues(t, 2, tries.Load())
	})
}
