package cluster_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/cluster"
)

// parent starts a cluster of which one member is paused, and waits to be killed.
func parent() {
	witness := os.NewFile(3, "witness")
	script, err := cluster.Parse(strings.NewReader("stop b"))
	if err != nil {
		panic(err)
	}
	c, err := cluster.Start(context.Background(), cluster.Config{Members: 2, Times: times,
		Command: func() *exec.Cmd {
			cmd := itself()
			cmd.ExtraFiles = []*os.File{witness}
			return cmd
		}})
	if err == nil {
		err = c.Play(context.Background(), script)
	}
	fmt.Println("started", err)
	select {}
}

// TestParentIsKilled: no member outlives the program that started it, not even one that is paused.
func TestParentIsKilled(t *testing.T) {
	read, write, err := os.Pipe()
	require.NoError(t, err)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), runAs+"=parent")
	cmd.ExtraFiles = []*os.File{write} // which members hold open for as long as they live
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	require.NoError(t, write.Close())
	said := make([]byte, 14)
	_, err = io.ReadFull(out, said)
	require.NoError(t, err)
	require.Equal(t, "started <nil>\n", string(said))
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	_, err = io.ReadAll(read) // until the last member has ended
	require.NoError(t, err)
	require.NoError(t, read.Close())
}
