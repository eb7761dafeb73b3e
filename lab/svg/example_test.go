package svg_test

import (
	"fmt"

	"github.com/go-election/election/lab/svg"
)

// A disc on a white sheet.
func Example() {
	var d svg.Drawing
	d.Rect(0, 0, 40, 40, "#FFFFFF")
	d.Circle(20, 20, 20.0/3, "#0072B2", "", 0)
	fmt.Print(d.Document(40, 40, "a disc"))
	// Output:
	// <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40" width="40" height="40" role="img" font-family="Helvetica, Arial, sans-serif">
	// <title>a disc</title>
	// <rect x="0" y="0" width="40" height="40" fill="#FFFFFF"/>
	// <circle cx="20" cy="20" r="6.67" fill="#0072B2"/>
	// </svg>
}
