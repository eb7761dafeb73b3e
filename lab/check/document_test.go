package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// document wants a part of the documentation to say so, or makes it say so. What comes out of the long run is
// shown only.
func document(t *testing.T, name, content string) {
	t.Helper()
	if *long {
		t.Log("\n" + content)
		return
	}
	file := filepath.Join("..", "..", "docs", "verification.md")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	open, end := fmt.Sprintf("<!-- %s -->\n", name), fmt.Sprintf("<!-- /%s -->\n", name)
	before, rest, ok := strings.Cut(string(text), open)
	require.True(t, ok, open)
	_, after, ok := strings.Cut(rest, end)
	require.True(t, ok, end)
	asWritten(t, file, before+open+content+end+after)
}
