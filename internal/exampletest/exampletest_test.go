package exampletest_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/exampletest"
)

// TestOutput: an example runs in virtual time, and what it prints is returned, not printed.
func TestOutput(t *testing.T) {
	stdout := os.Stdout
	require.Equal(t, "1h0m0s\nover\n", exampletest.Output(t, func() {
		began := time.Now()
		time.Sleep(time.Hour)
		fmt.Println(time.Since(began))
		fmt.Println("over")
	}))
	require.Same(t, stdout, os.Stdout)
	require.Empty(t, exampletest.Output(t, func() {}))
}
