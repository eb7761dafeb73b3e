package forward

import (
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBody: a body can be read again from the beginning, as far as it is kept.
func TestBody(t *testing.T) {
	for _, kept := range []int{0, 3, 8, 100} {
		b := &body{source: io.NopCloser(iotest.OneByteReader(strings.NewReader("contents"))), max: kept}
		first := b.open()
		part := make([]byte, 3)
		_, err := io.ReadFull(first, part)
		require.NoError(t, err)
		require.Equal(t, "con", string(part))
		require.Equal(t, kept < 3, b.spilled.Load())
		require.NoError(t, first.Close())
		_, err = first.Read(part)
		require.ErrorIs(t, err, errStale)
		text, err := io.ReadAll(b.open())
		if kept < 3 {
			require.ErrorIs(t, err, errStale)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, "contents", string(text))
		require.Equal(t, kept < 8, b.spilled.Load())
		require.LessOrEqual(t, len(b.kept), kept)
		text, err = io.ReadAll(b.open())
		if kept < 8 {
			require.ErrorIs(t, err, errStale)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, "contents", string(text))
	}
	require.Nil(t, (&body{}).open())
}

// TestBodyError: each attempt sees the error of the client's connection.
func TestBodyError(t *testing.T) {
	broken := errors.New("broken")
	b := &body{source: io.NopCloser(io.MultiReader(strings.NewReader("con"), iotest.ErrReader(broken))), max: 10}
	for range 2 {
		text, err := io.ReadAll(b.open())
		require.ErrorIs(t, err, broken)
		require.Equal(t, "con", string(text))
	}
}

// TestBodyShared: a failed attempt may still wait for the client. What it reads is not lost for the next attempt.
func TestBodyShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from, to := io.Pipe()
		b := &body{source: from, max: 100}
		first := b.open()
		var reading sync.WaitGroup
		reading.Go(func() { _, _ = first.Read(make([]byte, 10)) })
		time.Sleep(time.Second)
		require.NoError(t, first.Close())
		reading.Go(func() {
			text, err := io.ReadAll(b.open())
			require.NoError(t, err)
			require.Equal(t, "contents", string(text))
		})
		for _, part := range []string{"con", "tents"} {
			_, err := io.WriteString(to, part)
			require.NoError(t, err)
		}
		require.NoError(t, to.Close())
		reading.Wait()
	})
}

// TestBodyClosedLate: HTTP/2 may close the body of a failed attempt when the next one is already the last.
func TestBodyClosedLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from, to := io.Pipe()
		b := &body{source: from, max: 100}
		first, second := b.open(), b.open()
		second.keep()
		require.NoError(t, first.Close())
		synctest.Wait()
		go func() {
			_, _ = io.WriteString(to, "contents")
			_ = to.Close()
		}()
		text, err := io.ReadAll(second)
		require.NoError(t, err)
		require.Equal(t, "contents", string(text))
		require.NoError(t, second.Close())
		synctest.Wait()
		_, err = from.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.ErrClosedPipe)
	})
}

// TestBodyFull: what a failed attempt reads last is kept, even if it is more than usual.
func TestBodyFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from, to := io.Pipe()
		b := &body{source: from, max: 3}
		first := b.open()
		go func() { _, _ = io.ReadAll(first) }()
		_, err := io.WriteString(to, "con")
		require.NoError(t, err)
		synctest.Wait() // the attempt waits for more
		require.NoError(t, first.Close())
		go func() {
			_, _ = io.WriteString(to, "tents")
			_ = to.Close()
		}()
		text, err := io.ReadAll(b.open())
		require.NoError(t, err)
		require.Equal(t, "contents", string(text))
	})
}
