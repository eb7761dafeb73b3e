package clustercmd

import (
	"bufio"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/cmd/elect/internal/console"
	"github.com/go-election/election/internal/terminaltest"
)

// TestTerminal: on terminals of these widths no line of a screen wraps. After q the last picture stays without the
// keys, on a terminal that is as before.
func TestTerminal(t *testing.T) {
	for _, columns := range []int{50, 80, 120} {
		near, far := terminaltest.Open(t)
		terminaltest.Resize(t, far, columns, 24)
		s := &show{group: &actors{leader: "a"}, Console: console.New(nil, far, far, far), journal: &journal{}, period: time.Second}
		for _, e := range afternoon().events {
			s.journal.add(e)
		}
		ended := make(chan error, 1)
		go func() {
			ended <- s.interact(t.Context(), 0)
			_, _ = far.WriteString("end\n")
		}()
		var shown strings.Builder
		pressed := false
		for lines := bufio.NewScanner(near); lines.Scan() && lines.Text() != "end"; {
			line := unpainted(lines.Text())
			if !pressed && strings.Contains(line, "\x1b[J") { // the first screen is drawn, so keys are read
				pressed = true
				_, err := near.WriteString("q")
				require.NoError(t, err)
			}
			line = strings.NewReplacer("\x1b[?1049h\x1b[?25l", "", "\x1b[H", "", "\x1b[J", "", "\x1b[K", "",
				"\x1b[?25h\x1b[?1049l", "#").Replace(line)
			require.NotContains(t, line, "\x1b")
			require.Less(t, utf8.RuneCountInString(line), columns, strconv.Quote(line))
			shown.WriteString(line + "\n")
		}
		require.NoError(t, <-ended)
		require.NoError(t, near.Close()) // which ends the goroutine that reads keys
		screen, last, ok := strings.Cut(shown.String(), "#")
		require.True(t, ok)
		require.Contains(t, screen, keyHelp)
		require.Contains(t, last, "3 processes  lease 1 s  no leader yet\n\na ─")
		require.NotContains(t, last, keyHelp)
	}
}

// unpainted returns a text without its colours.
func unpainted(text string) string {
	for _, colour := range []string{"0", "1", "2", "31", "32", "33"} {
		text = strings.ReplaceAll(text, "\x1b["+colour+"m", "")
	}
	return text
}
