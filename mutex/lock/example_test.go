package lock_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/go-election/election"
	"github.com/go-election/election/mutex"
	"github.com/go-election/election/mutex/lock"
	"github.com/go-election/election/transport/memory"
)

func Example() {
	algorithm, err := mutex.RicartAgrawala(mutex.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	network := memory.New()
	var lockers []*lock.Locker
	for id := election.ID(1); id <= 2; id++ {
		end, err := network.Endpoint(id)
		if err != nil {
			fmt.Println(err)
			return
		}
		other := election.Link{Peer: election.Rank{ID: 3 - id}, Port: 0}
		l, err := lock.New(election.Config{Algorithm: algorithm, Self: election.Rank{ID: id}, Links: []election.Link{other}, Transport: end}, "printer")
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
				if _, err := l.Lock(ctx, "printer"); err != nil {
					fmt.Println(err)
					return
				}
				pages++
				if err := l.Unlock("printer"); err != nil {
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
	// Output: 200 pages
}
