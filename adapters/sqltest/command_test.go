//go:build unix

package sqltest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCommand: elect store test passes the servers, through its proxy.
func TestCommand(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	elect := filepath.Join(t.TempDir(), "elect")
	build := exec.Command("go", "build", "-o", elect, "./cmd/elect")
	build.Dir = root
	build.Env = append(os.Environ(), "GOWORK="+filepath.Join(root, "go.work"))
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, url := range []string{
		"postgres://postgres@" + postgres.Address + "/postgres",
		"mysql://root@" + mariadb.Address + "/test?interpolateParams=true",
	} {
		out, err := exec.Command(elect, "store", "test", url).CombinedOutput()
		require.NoError(t, err, "%s", out)
		for _, property := range []string{"Increments ", "Deadline   ", "LostAnswer ", "LateWrite  ", "Unreachable", "Close      "} {
			require.Contains(t, string(out), property+"  holds")
		}
		require.Contains(t, string(out), "Watch        not promised  ")
		require.Contains(t, string(out), "\n  DELETE FROM election_store WHERE name LIKE 'storetest/%'\n")
	}
}
