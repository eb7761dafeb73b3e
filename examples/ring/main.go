// Command ring elects a leader among six goroutines.
package main

import (
	"context"
	"fmt"

	"github.com/go-election/election/lcr"
	"github.com/go-election/election/local"
)

func main() {
	result, err := local.Elect(context.Background(), lcr.Participant(), 3, 1, 4, 8, 5, 2)
	if err != nil {
		panic(err)
	}
	fmt.Println("leader", result.Leader, "after", result.Messages, "messages")
}
