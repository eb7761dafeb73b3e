// Command leader is one of three members, one of which leads at a time:
//
//	leader a & leader b & leader c
//
// Command examples/service adds what a service needs: its members as arguments, logs, and a graceful shutdown.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/go-election/election/elector"
)

func main() {
	e, err := elector.New(elector.Config{
		Group:   "orders",
		Self:    os.Args[1],
		Members: map[string]string{"a": "127.0.0.1:7946", "b": "127.0.0.1:7947", "c": "127.0.0.1:7948"},
		Dir:     ".", // keeps the vote of this member over a restart
	})
	if err != nil {
		log.Fatal(err)
	}
	err = e.Run(context.Background(), func(ctx context.Context, term elector.Term) error {
		for ctx.Err() == nil { // until this member no longer leads
			fmt.Println(os.Args[1], "leads, and writes with token", term.Token())
			time.Sleep(time.Second)
		}
		return nil
	})
	log.Fatal(err)
}
