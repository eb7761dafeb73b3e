package transporttest

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDoc: the package comment names the properties that there are, in their order.
func TestDoc(t *testing.T) {
	source, err := os.ReadFile("transporttest.go")
	require.NoError(t, err)
	var listed, are []string
	for _, line := range regexp.MustCompile(`(?m)^//\t([A-Z]\w+) {2,}`).FindAllSubmatch(source, -1) {
		listed = append(listed, string(line[1]))
	}
	for _, p := range properties() {
		are = append(are, p.name)
	}
	require.Equal(t, are, listed)
}
