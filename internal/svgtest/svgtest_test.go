package svgtest_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/svgtest"
)

// TestGolden: every picture of the repository is legible, a new one, too.
func TestGolden(t *testing.T) {
	count := 0
	require.NoError(t, filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".svg":
			return nil
		}
		picture, err := os.ReadFile(path)
		count++
		require.Empty(t, svgtest.Faults(string(picture)), path)
		return err
	}))
	require.GreaterOrEqual(t, count, 8)
}

// TestPlanted: each fault is found, in a picture that has none otherwise. Process 4 of docs/bully.svg leads
// at 241.72, 476.02; an arrow goes from 2 at 141.72, 209.35 to 4 at 241.72, 276.02, through 191.72, 242.68.
func TestPlanted(t *testing.T) {
	read := func(name string) string {
		picture, err := os.ReadFile("../../docs/" + name)
		require.NoError(t, err)
		return string(picture)
	}
	bully, links, detectors := read("bully.svg"), read("links.svg"), read("detectors.svg")
	squares := regexp.MustCompile(`<rect x="(.*)" y="(.*)" width="8" height="8" fill="#D55E00"/>`)
	mark := func(shape string) string {
		return strings.Replace(bully, `<g class="mark">`, `<g class="mark"><title>planted</title>`+shape+
			`</g><g class="mark">`, 1)
	}
	moved := func(picture, old, planted string) string {
		require.True(t, strings.Contains(picture, old), old)
		return strings.Replace(picture, old, planted, 1)
	}
	rim := ` fill="#333333" stroke="#333333" stroke-width="1"/>`
	over := "planted at 192, 243 lies on the arrow"
	for name, c := range map[string]struct{ picture, fault string }{
		"circle":   {mark(`<circle cx="191.72" cy="242.68" r="3"` + rim), over},
		"large":    {mark(`<circle cx="191.72" cy="242.68" r="9"` + rim), over},
		"square":   {mark(`<rect x="187.72" y="238.68" width="8" height="8"` + rim), over},
		"triangle": {mark(`<polygon points="187.72,237.68 195.72,242.68 187.72,247.68"` + rim), over},
		"star": {mark(`<polygon points="191.72,234.18 193.95,239.6 199.8,240.05 195.33,243.85 196.72,249.55 ` +
			`191.72,246.48 186.72,249.55 188.11,243.85 183.64,240.05 189.49,239.6"` + rim), over},
		"cross": {mark(`<line x1="187.72" y1="238.68" x2="195.72" y2="246.68" stroke="#333333" ` +
			`stroke-width="2.2"/>`), over},
		"number": {moved(bully, `<circle cx="159.4" cy="194.4"`, `<circle cx="178.4" cy="223.8"`),
			"number 1 at 178, 224 lies on the arrow"},
		"end": {moved(moved(bully, `<line x1="287.22" y1="271.52" x2="296.22" y2="280.52"`,
			`<line x1="187.22" y1="238.18" x2="196.22" y2="247.18"`),
			`<line x1="287.22" y1="280.52" x2="296.22" y2="271.52"`,
			`<line x1="187.22" y1="247.18" x2="196.22" y2="238.18"`), "end of 2 to 5, lost: election 2"},
		"cut": {moved(bully, `<g class="mark">`, `<rect class="cut" x="180" y="236" width="30" height="14" `+
			`fill="#E8E8E8"/><g class="mark">`), "cut at 195, 243 lies on the arrow"},
		"letter": {moved(bully, `y="214.25" font-size="14"`, `y="214.25" font-size="10"`),
			"letters of 10.0 px"},
		"wide":      {moved(bully, `viewBox="0 0 360`, `viewBox="0 0 560`), "letters of 9.8 px"},
		"pale mark": {mark(`<circle cx="20" cy="300" r="3" fill="#C4C4C4"/>`), "contrast of 1.7, light"},
		"pale on dark": {mark(`<circle cx="20" cy="300" r="3" fill="#003355"/>`),
			"contrast of 1.4, dark"},
		"pale text": {moved(bully, `text-anchor="end" fill="#666666"`, `text-anchor="end" fill="#A87000"`),
			`text "time"`},
		"text on a band": {moved(bully, `<text x="58.72" y="191.15"`, `<rect x="10" y="170" width="60" `+
			`height="30" fill="#C4C4C4"/><text x="58.72" y="191.15"`), `text "time"`},
		"link": {strings.ReplaceAll(links, `stroke="#1F74AC"`, `stroke="#9CC6E2"`), "contrast of 1.8, light"},
		"dash": {strings.ReplaceAll(bully, ` stroke-dasharray="7 4"`, ""),
			"election and alive differ by colour alone"},
		"curves": {squares.ReplaceAllString(detectors, `<circle cx="$1" cy="$2" r="4" fill="#D55E00"/>`),
			"curves #0072B2 and #D55E00 differ by colour alone"},
	} {
		faults := strings.Join(svgtest.Faults(c.picture), "\n")
		require.NotEmpty(t, faults, name)
		require.Contains(t, faults, c.fault, name)
	}
}
