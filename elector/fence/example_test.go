package fence_test

import (
	"fmt"

	"github.com/go-election/election/elector/fence"
)

// The second leader writes, and the first one, which was paused, comes too late.
func Example() {
	var g fence.Guard
	write := func(token uint64, text string) {
		err := g.Do(token, func() error {
			fmt.Println(text)
			return nil
		})
		if err != nil {
			fmt.Println(err)
		}
	}
	write(1, "from the first leader")
	write(2, "from the second leader")
	write(1, "from the first leader again")
	// Output:
	// from the first leader
	// from the second leader
	// fence: the token is of an earlier leader: 1 is less than 2
}
