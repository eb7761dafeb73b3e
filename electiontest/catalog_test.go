package electiontest_test

import (
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/go-election/election/catalog"
	"github.com/go-election/election/electiontest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestCatalog: all that there is conforms, the scenarios of the project included.
func TestCatalog(t *testing.T) {
	seen := make(map[string]bool)
	for _, a := range catalog.All() {
		o := electiontest.Options{Find: catalog.Find}
		if testing.Short() {
			o.Seeds, o.States, o.Processes = 10, 1000, 7
		}
		if file := filepath.Join("..", "testdata", "scenarios", a.Name+".json"); !seen[file] {
			seen[file] = true
			if _, err := os.Stat(file); err == nil {
				o.Scenarios = []string{file}
			}
		}
		t.Run(a.Title(), func(t *testing.T) { electiontest.Test(t, a, o) })
	}
}
