package local_test

import (
	"context"
	"fmt"

	"github.com/go-election/election/lcr"
	"github.com/go-election/election/local"
)

func Example() {
	r, err := local.Elect(context.Background(), lcr.Participant(), 3, 1, 4, 8, 5, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("leader", r.Leader, "after", r.Messages, "messages")
	for _, k := range r.ByKind {
		fmt.Println(k.Kind, k.Count)
	}
	// Output:
	// leader 8 after 22 messages
	// election 16
	// elected 6
}
