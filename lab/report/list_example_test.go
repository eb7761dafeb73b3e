package report_test

import (
	"fmt"
	"os"

	"github.com/go-election/election"
	"github.com/go-election/election/dkr"
	"github.com/go-election/election/lab/report"
)

// The page of one algorithm: where it runs, which process wins, and how many messages it takes.
func ExampleWritePages() {
	if err := report.WritePages(os.Stdout, []*election.Algorithm{dkr.Algorithm()},
		report.Page{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// dkr
	//   a candidate that hears of a local maximum from the two candidates before it
	//   takes that over as its alias
	//   source      Dolev, Klawe, Rodeh 1982; Peterson 1982
	//   links       one-way ring
	//   order       kept
	//   delays      any
	//   winner      largest of the initiators
	//   late start  refused
	//   survives    none
	//   best case   3n + n
	//   worst case  2n*floor(log2 n) + 2n
	//   kinds       first, second, elected
	//
	// Examples
	//   elect sim dkr -n 8
	//   elect sim dkr -n 8 --order random --seed 3 --svg dkr.svg
	//   elect soak dkr --runs 1000
}
