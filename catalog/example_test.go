package catalog_test

import (
	"fmt"

	"github.com/go-election/election/catalog"
)

// An algorithm is found by its name, and by that of a variant.
func Example() {
	a, err := catalog.Find("lcr", "max")
	fmt.Println(a.Title(), "elects the", a.Winner, err)
	_, err = catalog.Find("bulli", "")
	fmt.Println(err)
	mine := append(catalog.All(), a) // a program may know more than the project
	fmt.Println(mine.Variants("echo"), len(mine) == len(catalog.All())+1)
	// Output:
	// lcr/max elects the largest of all <nil>
	// election: bad input: unknown algorithm "bulli": did you mean bully?
	// [implicit nok extinction] true
}
