package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/suspend"
)

// asLossy is the argument with which this test binary is a member, see runLossy.
const asLossy = "lossy"

// TestLoss flags.
var (
	lossFor     = flag.Duration("lossfor", 0, "how long TestLoss measures each network; if zero, not at all")
	lossMembers = flag.String("lossmembers", "3,5", "numbers of members in TestLoss")
	lossPercent = flag.String("losspercent", "0,10,20,30", "percentages of lost packets in TestLoss")
)

// held is a lease as its leader sees it, by the clock that all processes share.
type held struct {
	Term        uint64
	From, Until time.Duration
}

// TestLoss measures for how much of the time there is a leader in a network that loses packets at random, with the
// times of LAN, and how many leases are lost. This command prints the figures in docs/services.md:
//
//	cd chaos && go test -run TestLoss -v -args -lossfor 1m
func TestLoss(t *testing.T) {
	if *lossFor == 0 || os.Getuid() != 0 || !has("ip", "nft") {
		t.Skip("takes minutes, root, ip and nft: set -lossfor")
	}
	numbers := func(list string) (all []int) {
		var one int
		for rest := list + ","; rest != ""; {
			n, err := fmt.Sscanf(rest, "%d,", &one)
			require.NoError(t, err)
			require.Equal(t, 1, n)
			all = append(all, one)
			rest = rest[len(strconv.Itoa(one))+1:]
		}
		return all
	}
	for _, members := range numbers(*lossMembers) {
		for _, percent := range numbers(*lossPercent) {
			led, leases := measureLoss(t, members, percent, *lossFor)
			t.Logf("%d members, %d %% of packets lost: a leader for %.2f %% of the time, %.1f lost leases a minute",
				members, percent, 100*led, float64(leases-1)/lossFor.Minutes())
		}
	}
}

// measureLoss returns for which part of the time a lease is valid, and how many there are.
func measureLoss(t *testing.T, members, percent int, took time.Duration) (led float64, leases int) {
	t.Helper()
	w, err := openNetwork(members)
	defer func() { require.NoError(t, w.close()) }()
	require.NoError(t, err)
	addresses, err := json.Marshal(w.addresses(members))
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var mu sync.Mutex
	var all []held
	var reading sync.WaitGroup
	defer reading.Wait()
	defer stop()
	for i := range members {
		cmd := exec.CommandContext(ctx, "ip", "netns", "exec", w.namespace(i), os.Args[0], asLossy, memberName(i),
			string(addresses))
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		reading.Go(func() {
			for lines := bufio.NewScanner(out); lines.Scan(); {
				var s held
				if json.Unmarshal(lines.Bytes(), &s) == nil {
					mu.Lock()
					all = append(all, s)
					mu.Unlock()
				}
			}
			_ = cmd.Wait()
		})
	}
	time.Sleep(4 * time.Second)
	require.NoError(t, w.lose(percent))
	time.Sleep(4 * time.Second)
	from := suspend.Now()
	time.Sleep(took)
	until := suspend.Now()
	mu.Lock()
	defer mu.Unlock()
	slices.SortFunc(all, func(a, b held) int { return int(a.From - b.From) })
	terms := map[uint64]bool{}
	var sum time.Duration
	at := from
	for _, s := range all {
		if begin, end := max(s.From, at), min(s.Until, until); end > begin {
			sum += end - begin
			at = end
			terms[s.Term] = true
		}
	}
	return float64(sum) / float64(until-from), len(terms)
}

// runLossy is a member that writes down its leases.
func runLossy() {
	var members map[string]string
	err := json.Unmarshal([]byte(os.Args[3]), &members)
	if err == nil {
		err = lossyMember(os.Args[2], members)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func lossyMember(self string, members map[string]string) error {
	var mu sync.Mutex
	out := json.NewEncoder(os.Stdout)
	var broken atomic.Bool
	e, err := elector.New(elector.Config{Group: "g", Self: self, Members: members, InsecurePlaintext: true,
		Renewed: func(t elector.Term) {
			mu.Lock()
			defer mu.Unlock()
			now := suspend.Now()
			if out.Encode(held{t.Number, now, now + t.Left()}) != nil {
				broken.Store(true)
			}
		}})
	if err != nil {
		return err
	}
	err = e.Run(context.Background(), func(ctx context.Context, _ elector.Term) error { <-ctx.Done(); return nil })
	if broken.Load() {
		err = errors.Join(err, errors.New("the parent has gone"))
	}
	return err
}
