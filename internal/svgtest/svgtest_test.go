package svgtest_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/svgtest"
	"github.com/go-election/election/lab/svg"
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

// line returns the ends of the first line after a title.
func line(t *testing.T, picture, title string) (x1, y1, x2, y2 float64) {
	t.Helper()
	_, after, ok := strings.Cut(picture, "<title>"+title+"</title>")
	require.True(t, ok, title)
	after = after[strings.Index(after, "<line "):]
	_, err := fmt.Sscanf(after, `<line x1="%f" y1="%f" x2="%f" y2="%f"`, &x1, &y1, &x2, &y2)
	require.NoError(t, err, after)
	return x1, y1, x2, y2
}

// moved writes something else for the first part of a picture that a pattern matches.
func moved(t *testing.T, picture, pattern, planted string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	at := re.FindStringSubmatchIndex(picture)
	require.NotNil(t, at, pattern)
	return picture[:at[0]] + string(re.ExpandString(nil, planted, picture, at)) + picture[at[1]:]
}

// TestPlanted: each fault is found, in a picture that has none otherwise. In docs/bully.svg an arrow goes
// from 2 to 4; what is planted lies at its middle.
func TestPlanted(t *testing.T) {
	bully, links, detectors := read(t, "bully.svg"), read(t, "links.svg"), read(t, "detectors.svg")
	squares := regexp.MustCompile(`<rect x="(.*)" y="(.*)" width="8" height="8" fill="#D55E00"/>`)
	x1, y1, x2, y2 := line(t, bully, "2 to 4: election 2")
	x, y := (x1+x2)/2, (y1+y2)/2
	mark := func(shape string) string {
		return strings.Replace(bully, `<g class="mark">`, `<g class="mark"><title>planted</title>`+shape+
			`</g><g class="mark">`, 1)
	}
	// at writes pairs of numbers, each from the middle of the arrow.
	at := func(form string, away ...float64) string {
		var all []any
		for i, by := range away {
			all = append(all, []float64{x, y}[i%2]+by)
		}
		return fmt.Sprintf(form, all...)
	}
	rim := ` fill="#333333" stroke="#333333" stroke-width="1"/>`
	over := fmt.Sprintf("planted at %.0f, %.0f lies on the arrow", x, y)
	const end = `(<title>2 to 5, lost: election 2</title>\n<line .*\n)`
	for name, c := range map[string]struct{ picture, fault string }{
		"circle":   {mark(at(`<circle cx="%f" cy="%f" r="3"`+rim, 0, 0)), over},
		"large":    {mark(at(`<circle cx="%f" cy="%f" r="9"`+rim, 0, 0)), over},
		"square":   {mark(at(`<rect x="%f" y="%f" width="8" height="8"`+rim, -4, -4)), over},
		"triangle": {mark(at(`<polygon points="%f,%f %f,%f %f,%f"`+rim, -4, -5, 4, 0, -4, 5)), over},
		"star": {mark(at(`<polygon points="%f,%f %f,%f %f,%f %f,%f %f,%f %f,%f %f,%f %f,%f %f,%f %f,%f"`+rim,
			0, -8.5, 2.23, -3.08, 8.08, -2.63, 3.61, 1.17, 5, 6.87, 0, 3.8, -5, 6.87, -3.61, 1.17,
			-8.08, -2.63, -2.23, -3.08)), over},
		"cross": {mark(at(`<line x1="%f" y1="%f" x2="%f" y2="%f" stroke="#333333" stroke-width="2.2"/>`, -4, -4,
			4, 4)), over},
		"number": {moved(t, bully, `<circle cx="\S+" cy="\S+"(.*\n<text .* class="number")`,
			at(`<circle cx="%f" cy="%f"$1`, 0, 0)), "number 1 at "},
		"end": {moved(t, moved(t, bully, end+`<line x1="\S+" y1="\S+" x2="\S+" y2="\S+"`,
			at(`$1<line x1="%f" y1="%f" x2="%f" y2="%f"`, -4.5, -4.5, 4.5, 4.5)),
			end+`(<line .*\n)<line x1="\S+" y1="\S+" x2="\S+" y2="\S+"`,
			at(`$1$2<line x1="%f" y1="%f" x2="%f" y2="%f"`, -4.5, 4.5, 4.5, -4.5)), "end of 2 to 5, lost: election 2"},
		"cut": {moved(t, bully, `<g class="mark">`, at(`<text x="%f" y="%f" font-size="14" `+
			`text-anchor="middle" fill="#333333">10 units</text><g class="mark">`, 0, 0)),
			`lies on "10 units"`},
		"pale mark": {mark(`<circle cx="20" cy="300" r="3" fill="#C4C4C4"/>`),
			"contrast of 1.7 on #FFFFFF"},
		"pale on dark": {mark(`<circle cx="20" cy="300" r="3" fill="#003355"/>`), "contrast of 1.4 on #0D1117"},
		"pale text":    {moved(t, bully, `fill="#666666">time`, `fill="#A87000">time`), `text "time"`},
		"text on a band": {moved(t, bully, `<text x="(\S+)" y="(\S+)"(.*>time<)`,
			at(`<rect x="0" y="0" width="%f" height="%f" fill="#C4C4C4"/><text x="$1" y="$2"$3`, 0, 0)),
			`text "time"`},
		"off-white": {mark(`<circle cx="20" cy="300" r="3" fill="#949494"/>`),
			"contrast of 2.8 on #F7F7F5"},
		"sheet": {moved(t, bully, `</style>`, `</style><rect width="390" height="9" fill="#FFFFFF"/>`),
			"a sheet hides the page"},
		"whole sheet": {svg.OnSheet(bully), "a sheet hides the page"},
		"link": {strings.ReplaceAll(links, `stroke="#1F74AC"`, `stroke="#9CC6E2"`),
			"contrast of 1.8 on #FFFFFF"},
		"dash": {strings.ReplaceAll(bully, ` stroke-dasharray="7 4"`, ""),
			"election and alive differ by colour alone"},
		"exchanged": {moved(t, moved(t, moved(t, bully, `class="number"(.*)>3<`, `class="number"$1>x<`),
			`class="number"(.*)>4<`, `class="number"$1>3<`), `class="number"(.*)>x<`, `class="number"$1>4<`),
			"is nearer to the mark of another"},
		"curves": {squares.ReplaceAllString(detectors, `<circle cx="$1" cy="$2" r="4" fill="#D55E00"/>`),
			"curves #0072B2 and #D55E00 differ by colour alone"},
	} {
		faults := strings.Join(svgtest.Faults(c.picture), "\n")
		require.NotEmpty(t, faults, name)
		require.Contains(t, faults, c.fault, name)
	}
}

// TestPlantedTexts: the same for texts that are too small, or leave the picture.
func TestPlantedTexts(t *testing.T) {
	bully, detectors := read(t, "bully.svg"), read(t, "detectors.svg")
	for name, c := range map[string]struct{ picture, fault string }{
		"number on the legend": {moved(t, bully, `<circle cx="\S+" cy="\S+"(.*\n<text .* class="number")`,
			`<circle cx="200" cy="70"$1`), "number 1 at 200, 70 lies on the legend"},
		"number on a text": {moved(t, bully, `<text x="(\S+)" y="(\S+)"(.*>coordinator<)`,
			`<circle cx="$1" cy="$2" r="9" fill="#FFFFFF"/><text class="number">7</text><text x="$1" y="$2"$3`),
			`lies on "coordinator"`},
		"mark on a text": {moved(t, bully, `<text x="(\S+)" y="(\S+)"(.*>time<)`,
			`<g class="mark"><title>planted</title><circle cx="$1" cy="$2" r="3" fill="#333333"/></g>`+
				`<text x="$1" y="$2"$3`), `lies on "time"`},
		"mark on a name that is read from below": {strings.Replace(bully, `</svg>`,
			`<g class="mark"><title>planted</title><circle cx="300" cy="250" r="3" fill="#333333"/></g>`+
				`<text x="304" y="300" font-size="14" transform="rotate(-90 304 300)">1234567890</text></svg>`, 1),
			`lies on "1234567890"`},
		"message on the times": {moved(t, bully, `<text x="(\S+)" y="(\S+)"(.*>time<)`,
			`<g class="message"><title>planted</title><line x1="0" y1="0" x2="$1" y2="$2"/></g>`+
				`<text x="$1" y="$2"$3`), `lies on "time"`},
		"ring on the moments": {moved(t, bully, `<text x="(\S+)" y="(\S+)"(.*>0.5: 5 crashes<)`,
			`<g class="message"><title>planted</title><line x1="9" y1="9" x2="9" y2="19" stroke-width="2"/>`+
				`<circle cx="$1" cy="$2" r="3.5"/></g>`+
				`<text x="$1" y="$2"$3`), `lies on "0.5: 5 crashes"`},
		"label on the moments": {moved(t, bully, `<text x="(\S+)" y="(\S+)"(.*>0.5: 5 crashes<)`,
			`<text x="$1" y="$2" font-size="14" class="label">9</text><text x="$1" y="$2"$3`),
			`label "9" at `},
		"below the picture": {moved(t, bully, `viewBox="0 0 390 [0-9]+`, `viewBox="0 0 390 90`),
			"is outside of the picture"},
		"letter": {moved(t, bully, `font-size="14"( .*>time<)`, `font-size="10"$1`), "letters of 10.0 px"},
		"wide":   {moved(t, bully, `viewBox="0 0 [0-9]+`, `viewBox="0 0 560`), "letters of 9.8 px"},
		"long":   {moved(t, bully, `>time<`, `>what the clock of all says<`), "says\" runs out"},
		"high": {moved(t, detectors, `(<text .* transform="rotate\(-90 .*>).*</text>`, "${1}"+
			strings.Repeat("messages ", 9)+"</text>"), "runs out of the picture"},
		"bold": {strings.Replace(bully, `</svg>`, `<text x="5" y="300" font-size="14" font-weight="bold" `+
			`fill="#333333">`+strings.Repeat("n", 40)+`</text></svg>`, 1), "nnn\" runs out of the picture"}, // they would not in regular letters
	} {
		require.Contains(t, strings.Join(svgtest.Faults(c.picture), "\n"), c.fault, name)
	}
}

// read returns a picture of the documentation.
func read(t *testing.T, name string) string {
	picture, err := os.ReadFile("../../docs/" + name)
	require.NoError(t, err)
	return string(picture)
}
