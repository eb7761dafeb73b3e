package lock_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/go-election/election"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/mutex/lock"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport/memory"
)

// Without an arbiter a process asks all others. All are up before the first Lock, and none may crash.
func Example_ricartAgrawala() {
	algorithm, err := mutex.RicartAgrawala(mutex.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	network := memory.New()
	all := []election.Rank{{ID: 1}, {ID: 2}, {ID: 3}}
	var lockers []*lock.Locker
	for _, self := range all {
		end, err := network.Endpoint(self.ID)
		if err != nil {
			fmt.Println(err)
			return
		}
		c := process.Config{Algorithm: algorithm, Founding: true, Self: self, Peers: all,
			Transport: end}
		l, err := lock.New(c, "printer")
		if err != nil {
			fmt.Println(err)
			return
		}
		lockers = append(lockers, l)
	}
	ctx := context.Background()
	var running, working sync.WaitGroup
	pages := 0
	for _, l := range lockers {
		running.Go(func() { _ = l.Run(ctx) })
		working.Go(func() {
			for range 100 {
				token, err := l.Lock(ctx, "printer")
				if err != nil {
					fmt.Println(err)
					return
				}
				pages++
				if err := l.Unlock("printer", token); err != nil {
					fmt.Println(err)
				}
			}
		})
	}
	working.Wait()
	for _, l := range lockers {
		l.Close()
	}
	running.Wait()
	fmt.Println(pages, "pages")
	// Output: 300 pages
}
