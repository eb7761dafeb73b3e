package leadcmd

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestUnit: elect lead accepts the command line and the file of the unit of systemd, and has the time to hand over.
func TestUnit(t *testing.T) {
	const folder = "../../../../examples/systemd/"
	text, err := os.ReadFile(folder + "elect@.service")
	require.NoError(t, err)
	unit := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(line, "#") {
			unit[key] = value
		}
	}
	require.Equal(t, "notify", unit["Type"])
	require.Equal(t, "mixed", unit["KillMode"], "the program is ended by elect lead, and not before it hands over")
	require.Equal(t, "/bin/kill -HUP $MAINPID", unit["ExecReload"])
	require.Equal(t, "ELECTION_DIR=%S/"+unit["StateDirectory"], unit["Environment"])
	t.Setenv("ELECTION_DIR", t.TempDir())
	line, ok := strings.CutPrefix(unit["ExecStart"], "/usr/local/bin/elect lead ")
	require.True(t, ok)
	flags, program, ok := strings.Cut(line, " -- ")
	require.True(t, ok)
	require.Equal(t, "/usr/local/bin/%i-worker", program)
	w, err := given(t, strings.ReplaceAll(flags, "/etc/elect/%i", folder+"orders")).work(nil, []string{program})
	require.NoError(t, err)
	require.Equal(t, "orders", w.config.Group)
	require.Len(t, w.config.Members, 3)
	require.NotNil(t, w.config.TLS)
	stop, err := time.ParseDuration(unit["TimeoutStopSec"] + "s")
	require.NoError(t, err)
	require.Greater(t, stop, w.times.Drain+w.times.Lease)
}
