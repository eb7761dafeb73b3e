package svg

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The colours of pictures on a light page. On a dark page each has a counterpart; a picture uses no other.
// Those of lines and marks stand out from the page by 3 to 1 at least, those of letters by 4.5 to 1, on
// both.
const (
	Paper = "#FFFFFF" // of what covers lines below it, such as the disc behind a number
	Ink   = "#333333"
	Grey  = "#666666" // letters of less weight
	Mid   = "#767676" // lines of less weight
	Faint = "#C4C4C4" // what helps the eye and says nothing: the lines of a grid
	Pale  = "#E8E8E8" // a band behind lines
	Rose  = "#F3DCE8" // another
	Alarm = "#FBDAD2" // a third, of what goes wrong
	Red   = "#B3261E"
	Gold  = "#956300"

	Blue   = "#0072B2"
	Orange = "#D55E00"
	Green  = "#00835F"
	Pink   = "#AF5088"
	Amber  = "#A87000"
	Sky    = "#2B86C5"
	Black  = "#000000"
	Shade1 = "#5095C4" // from little
	Shade3 = "#1F74AC"
	Shade5 = "#003F66" // to much
)

// dark are the counterparts on a dark page.
var dark = map[string]string{
	Paper: "#15181C", Ink: "#D8DCE1", Grey: "#A7AEB6", Mid: "#8A929B", Faint: "#3D444C", Pale: "#2B3036",
	Rose: "#46303C", Alarm: "#55302B", Red: "#FF8A7E", Gold: "#F2B632",
	Blue: "#62ADE4", Orange: "#F58B46", Green: "#35C596", Pink: "#E79CC8", Amber: "#DFA629", Sky: "#8CC6F2",
	Black:  "#F2F4F6",
	Shade1: "#2F77A8", Shade3: "#5AA7DC", Shade5: "#B7DDF8",
}

// Schemes returns each colour on a light page and its counterpart on a dark one.
func Schemes() map[string]string { return maps.Clone(dark) }

// The style sheet of a picture begins and ends so. A browser that shows the picture alone takes the colour of
// the page behind it from color-scheme; without that it would be white in a dark scheme. The rule is for the
// root of a document only: a page that holds the picture among its elements keeps its own.
const (
	beginRules = "<style>svg:root { color-scheme: light dark } @media (prefers-color-scheme: dark) {"
	endRules   = " }</style>\n"
)

// scheme returns the rules of a style sheet that change the colours of a picture on a dark page. Colours
// stand in attributes, which every program reads; browsers alone read the rules.
func scheme(picture string) string {
	var b strings.Builder
	b.WriteString(beginRules)
	colours := slices.Sorted(maps.Keys(dark))
	for _, attribute := range []string{"fill", "stroke"} {
		for _, c := range colours {
			// Not a regular expression: package regexp would be a twentieth of the program in a browser.
			if strings.Contains(picture, attribute+`="`+c+`"`) {
				fmt.Fprintf(&b, ` [%s="%s"] { %[1]s: %[3]s }`, attribute, c, dark[c])
			}
		}
	}
	b.WriteString(endRules)
	return b.String()
}

// parts returns what stands before and behind the rules of a picture, if it has any.
func parts(picture string) (before, behind string, ok bool) {
	before, behind, ok = strings.Cut(picture, beginRules)
	if ok {
		_, behind, ok = strings.Cut(behind, endRules)
	}
	return before, behind, ok
}

// OnSheet lays a sheet of paper under a picture, for a program that shows it on no page: one that makes a PNG
// of it, say. The sheet follows the colour scheme, too.
func OnSheet(picture string) string {
	before, behind, ok := parts(picture)
	if !ok { // it has a sheet
		return picture
	}
	behind = `<rect width="100%" height="100%" fill="` + Paper + `"/>` + "\n" + behind
	return before + scheme(`fill="`+Ink+`"`+behind) + behind
}

// Dark returns a picture in the colours of a dark page, on a sheet of its own, whatever the reader's page is.
func Dark(picture string) string {
	if before, behind, ok := parts(OnSheet(picture)); ok {
		picture = before + behind
	}
	var pairs []string
	for c, counterpart := range dark {
		for _, attribute := range []string{"fill", "stroke"} {
			pairs = append(pairs, attribute+`="`+c+`"`, attribute+`="`+counterpart+`"`)
		}
	}
	return strings.NewReplacer(pairs...).Replace(picture)
}
