// Command elector is a member over package elector.
package main

import (
	"context"
	"fmt"
	"log"
	"sync"
	"time"

	"github.com/go-election/election/bench/internal/member"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport/tcp"
)

func main() { member.Main(run) }

func run(ctx context.Context, c member.Config, requests <-chan member.Request) error {
	own := elector.Config{Self: member.Name(c.Self), Members: make(map[string]string),
		Times: elector.Times{Lease: c.Lease}}
	for i, address := range c.Addresses {
		own.Members[member.Name(i)] = address
	}
	if c.Groups > 1 {
		network, err := share(own)
		if err != nil {
			return err
		}
		defer network.Close()
		own.Network = network
	}
	var running sync.WaitGroup
	defer running.Wait()
	for i := range c.Groups {
		one, name := own, ""
		one.Group = fmt.Sprintf("bench %d", i)
		if c.Groups > 1 {
			name = fmt.Sprint(i)
		}
		e, err := elector.New(one)
		if err != nil {
			return err
		}
		if c.Groups == 1 {
			go serve(ctx, e, requests)
		}
		running.Go(func() {
			if err := e.Run(ctx, lead(name)); err != nil {
				log.Fatal(err)
			}
		})
	}
	return nil
}

// share returns connections for many groups. What is sent waits for more, until nothing has come for two
// milliseconds.
func share(c elector.Config) (*tcp.Network, error) {
	own := c.TCP()
	own.Linger = 5 * time.Millisecond
	return tcp.New(own)
}

func lead(group string) func(context.Context, elector.Term) error {
	return func(ctx context.Context, _ elector.Term) error {
		member.LeadsGroup(group, true)
		<-ctx.Done()
		member.LeadsGroup(group, false)
		return nil
	}
}

// serve does what is requested.
func serve(ctx context.Context, e *elector.Elector, requests <-chan member.Request) {
	for r := range requests {
		var err error
		if r.To == member.Any {
			err = e.Resign(ctx)
		} else {
			err = e.Transfer(ctx, member.Name(r.To))
		}
		if err != nil {
			log.Print(err)
		}
	}
}
