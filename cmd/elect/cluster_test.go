package main

import (
	"testing"

	"github.com/go-election/election/cmd/elect/internal/exit"
)

func TestBadCluster(t *testing.T) {
	refused{
		"cluster a":                     `unknown command "a" for "elect cluster"`,
		"cluster -n 0":                  `-n: 0 is not between 1 and 9`,
		"cluster -n 10":                 `-n: 10 is not between 1 and 9`,
		"cluster --lease 3":             `--lease: "3" is not a time, as in 20ms or 1.5s`,
		"cluster --lease +3":            `--lease: "+3" is not a time, as in 20ms or 1.5s`,
		"cluster --lease 9999999h":      `--lease: "9999999h" is not a time, as in 20ms or 1.5s`,
		"cluster --lease +1.5h9999999h": `--lease: "+1.5h9999999h" is not a time, as in 20ms or 1.5s`,
		"cluster --lease 2000000h": `--lease: 2000000h0m0s is not between 2 ns and ` +
			`625h29m59.813685247s`,
		"cluster --lease 1us":             `--lease: 1µs is less than 1ms`,
		"cluster --lease 1000h":           `--lease: 1000h0m0s is not between 2 ns and 625h29m59.813685247s`,
		"cluster --for -1s":               `--for: -1s is not above 0`,
		"cluster --for 1s --script x.txt": `if any flags in the group [script for] are set none of the others can be; [for script] were all set`,
		"cluster --script no/such":        `--script no/such: open no/such: no such file or directory`,
		"cluster --script -":              `--script -: it has no steps`,
		"cluster -n 1": `-n: 1 members, at least 3 are needed: the demonstration kills the leader, and a ` +
			`majority must be left; --script and --for need one`,
		"cluster -n 2 --json": `-n: 2 members, at least 3 are needed: the demonstration kills the leader, ` +
			`and a majority must be left; --script and --for need one`,
	}.test(t)
	elect(t, "jump", "cluster", "--script", "-").requireLine(t, exit.StatusUsage,
		`--script -: line 1: "jump" is `+
			`not one of kill, term, stop, cont, cut, heal, restart, transfer, resign, sleep, wait, expect`)
}
