package lessons_test

import (
	"context"
	"fmt"

	"github.com/go-election/election/page/lessons"
)

func Example() {
	l,
		err := lessons.Read([]byte(`{"title": "The largest wins", "package": "lcr", "about": "A ring of three.",
		"scenario": {"algorithm": "lcr/participant", "ids": [2, 3, 1]}, "stops": [
		{"step": 4, "text": "Process 2 starts, and sends its ID.", "rule": 1,
			"claim": {"do": "start", "process": 3}}]}`))
	if err != nil {
		panic(err)
	}
	fmt.Println(l.Check(context.Background()))
	// Output: election: bad input: stops[0]: claim.process: 2, not 3
}
