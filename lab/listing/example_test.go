package listing_test

import (
	"fmt"
	"os"

	"github.com/go-election/election"
	"github.com/go-election/election/dkr"
	"github.com/go-election/election/lab/listing"
)

// One algorithm: where it runs, which process wins, and how many messages it takes.
func Example() {
	if err := listing.WriteTable(os.Stdout, []*election.Algorithm{dkr.Algorithm()}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// ALGORITHM  LINKS         ORDER  DELAYS  WINNER                     LATE START
	// dkr        one-way ring  kept   any     largest of the initiators  refused
	//
	// ALGORITHM  BEST    MEAN  WORST
	// dkr        3n + n  -     2n*floor(log2 n) + 2n
	//
	// ALGORITHM  KINDS OF MESSAGES
	// dkr        first, second, elected
}
