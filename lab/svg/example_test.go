package svg_test

import (
	"fmt"
	"strings"

	"github.com/go-election/election/lab/svg"
)

// A disc, which is of another blue on a dark page.
func Example() {
	var d svg.Drawing
	d.Circle(20, 20, 20.0/3, svg.Blue, "", 0)
	_, elements, _ := strings.Cut(d.Document(40, 40, "a disc", "It is blue."), "\n")
	fmt.Print(strings.ReplaceAll(elements, " [", "\n["))
	// Output:
	// <title>a disc</title>
	// <desc>It is blue.</desc>
	// <style>svg:root { color-scheme: light dark } @media (prefers-color-scheme: dark) {
	// [fill="#0072B2"] { fill: #62ADE4 }
	// [fill="#333333"] { fill: #D8DCE1 } }</style>
	// <circle cx="20" cy="20" r="6.67" fill="#0072B2"/>
	// </svg>
}
