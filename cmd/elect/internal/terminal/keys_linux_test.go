package terminal

import (
	"bufio"
	"os"
	"os/signal"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/terminaltest"
)

// TestRaw: a raw terminal passes on each key immediately. After it is restored, a line must be complete.
func TestRaw(t *testing.T) {
	near, far := terminaltest.Open(t)
	restore, err := Raw(far)
	require.NoError(t, err)
	pressed := Keys(t.Context(), far)
	for _, key := range "ab" {
		_, err := near.WriteString(string(key))
		require.NoError(t, err)
		require.Equal(t, byte(key), <-pressed)
	}
	restore()
	_, err = near.WriteString("c\n")
	require.NoError(t, err)
	require.Equal(t, "c\n", string([]byte{<-pressed, <-pressed}))
	line, err := bufio.NewReader(near).ReadString('\n') // the terminal echoes again
	require.NoError(t, err)
	require.Equal(t, "c\r\n", line)
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	_, err = Raw(null)
	require.Error(t, err)
}

// TestInterrupt: Ctrl-C interrupts the process although the terminal is raw.
func TestInterrupt(t *testing.T) {
	near, far := terminaltest.Open(t)
	restore, err := Raw(far)
	require.NoError(t, err)
	defer restore()
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	defer signal.Stop(interrupted)
	Keys(t.Context(), far)
	_, err = near.WriteString("\x03")
	require.NoError(t, err)
	require.Equal(t, os.Interrupt, <-interrupted)
}

// TestKeys: at the end of the input no further key comes.
func TestKeys(t *testing.T) {
	pressed := Keys(t.Context(), strings.NewReader("x"))
	require.Equal(t, byte('x'), <-pressed)
}
