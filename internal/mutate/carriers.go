package main

import "context"

// carriers are the packages that hold no algorithm but carry its Nodes, or judge them, each with the
// packages whose tests try it: its own first.
var carriers = map[string][]string{
	".":                       {".", "./lab/sim", "./electiontest"},
	"internal/alarm":          {"./internal/alarm", "./process"},
	"internal/mailbox":        {"./internal/mailbox", "./transport/memory", "./local"},
	"electiontest":            {"./electiontest"},
	"lab/check":               {"./lab/check"},
	"lab/scenario":            {"./lab/scenario", "./lab/sim"},
	"lab/sim":                 {"./lab/sim", "./lab/soak"},
	"lab/soak":                {"./lab/soak"},
	"lab/verdict":             {"./lab/verdict", "./lab/soak", "./lab/check"},
	"local":                   {"./local"},
	"process":                 {"./process", "./mutex/lock", "./transport/transporttest"},
	"transport":               {"./transport"},
	"transport/faults":        {"./transport/faults"},
	"transport/memory":        {"./transport/memory", "./process"},
	"transport/transporttest": {"./transport/transporttest"},
}

// tryCarrier runs the tests that try a carrier, the quick ones of its own package first.
func tryCarrier(ctx context.Context, suites []string, overlay string) (fate, string) {
	f, out := test(ctx, overlay, byTests, suites[0], "-short")
	for i, suite := range suites {
		if f == survived && *own && !*quick {
			f, out = test(ctx, overlay, byTests, suite)
		} else if f == survived && *own && i > 0 {
			f, out = test(ctx, overlay, byTests, suite, "-short")
		}
	}
	return f, out
}
