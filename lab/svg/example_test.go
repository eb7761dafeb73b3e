package svg_test

import (
	"fmt"
	"strings"

	"github.com/go-election/election/lab/svg"
)

// A disc on a white sheet.
func Example() {
	var d svg.Drawing
	d.Rect(0, 0, 40, 40, "#FFFFFF")
	d.Circle(20, 20, 20.0/3, "#0072B2", "", 0)
	_, elements, _ := strings.Cut(d.Document(40, 40, "a disc"), "\n")
	fmt.Print(elements)
	// Output:
	// <title>a disc</title>
	// <rect x="0" y="0" width="40" height="40" fill="#FFFFFF"/>
	// <circle cx="20" cy="20" r="6.67" fill="#0072B2"/>
	// </svg>
}
