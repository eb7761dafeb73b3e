package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/go-election/election/catalog"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if builtIn != "" {
			os.RemoveAll(builtIn)
		}
		os.Exit(code)
	}))
}

// builtIn is the folder that holds the binary, once there is one.
var builtIn string

// build builds the command once for all tests that want to execute it.
var build = sync.OnceValues(func() (string, error) {
	var err error
	if builtIn, err = os.MkdirTemp("", "elect"); err != nil {
		return "", err
	}
	path := filepath.Join(builtIn, "elect")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// binary returns the path of the command.
func binary(t *testing.T) string {
	t.Helper()
	path, err := build()
	require.NoError(t, err)
	return path
}

// ran is what a command line came to.
type ran struct {
	code           int
	stdout, stderr string
}

// elect carries out a command line in this process.
func elect(t *testing.T, stdin string, args ...string) ran {
	t.Helper()
	return electWith(t, catalog.All(), stdin, args...)
}

// electWith carries out a command line with these algorithms. The time of elect run is virtual, so that no
// time-out depends on how fast the machine is.
func electWith(t *testing.T, algorithms catalog.List, stdin string, args ...string) (r ran) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	carryOut := func(t *testing.T) {
		code := runWith(t.Context(), algorithms, args, strings.NewReader(stdin), &stdout, &stderr)
		r = ran{code, stdout.String(), stderr.String()}
	}
	if len(args) > 0 && args[0] == "run" {
		synctest.Test(t, carryOut)
	} else {
		carryOut(t)
	}
	return r
}

// requireLine wants an exit status and one line on standard error.
func (r ran) requireLine(t *testing.T, code int, line string) {
	t.Helper()
	require.Equal(t, code, r.code, r.stderr)
	require.Equal(t, "elect: "+line+"\n", r.stderr)
}
