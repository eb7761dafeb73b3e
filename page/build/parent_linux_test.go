package build_test

import (
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/page/build"
)

// parent is set in the environment of the process that [TestCommandEndsWithParent] kills.
const parent = "ELECT_PAGE_TEST_PARENT"

// A command that this package runs ends when its parent is killed.
func TestCommandEndsWithParent(t *testing.T) {
	if os.Getenv(parent) != "" {
		// Both pipes are inherited by the command too.
		_, err := build.Run(exec.Command("sh", "-c", "echo runs >&3; read line <&4"))
		t.Fatal(err)
	}
	alive, ours, err := os.Pipe()
	require.NoError(t, err)
	defer alive.Close()
	waits, hold, err := os.Pipe()
	require.NoError(t, err)
	defer hold.Close() // without it the command ends in any case
	p := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	p.Env, p.ExtraFiles = append(os.Environ(), parent+"=1"), []*os.File{ours, waits}
	require.NoError(t, p.Start())
	require.NoError(t, ours.Close())
	require.NoError(t, waits.Close())
	line := make([]byte, 10)
	n, err := alive.Read(line)
	require.NoError(t, err)
	require.Equal(t, "runs\n", string(line[:n]))
	require.NoError(t, p.Process.Kill())
	require.Error(t, p.Wait())
	_, err = io.ReadAll(alive) // until the command has ended, which holds its end of the pipe
	require.NoError(t, err)
}
