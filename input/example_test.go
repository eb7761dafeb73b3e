package input_test

import (
	"errors"
	"fmt"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
)

// A driver refuses a number of processes; the reader of a file says in which field it stood.
func Example() {
	err := input.Errorf("%d processes, it must be at least 1", 0)
	fmt.Println(err)
	fmt.Println(input.At("scenario[2].n", err))
	fmt.Println(errors.Is(err, election.ErrInput))
	// Output:
	// election: bad input: 0 processes, it must be at least 1
	// election: bad input: scenario[2].n: 0 processes, it must be at least 1
	// true
}
