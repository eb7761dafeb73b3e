// Package exampletest runs examples in virtual time.
package exampletest

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
)

// Output runs an example in a bubble of testing/synctest, and returns what it prints. The example must not
// have an Output comment, since go test would also run it outside of the bubble, with leases in real time.
func Output(t *testing.T, example func()) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stdout")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	stdout := os.Stdout
	defer func() { os.Stdout = stdout }()
	os.Stdout = file
	synctest.Test(t, func(*testing.T) { example() })
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
