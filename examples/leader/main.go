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
	"log/slog"
	"os"
	"time"

	"github.com/go-election/election/elector"
)

func main() {
	e, err := elector.New(elector.Config{
		Group:   "orders",
		Self:    os.Args[1],
		Members: map[string]string{"a": "127.0.0.1:7946", "b": "127.0.0.1:7947", "c": "127.0.0.1:7948"},
		Dir:     ".",            // keeps the vote of this member over a restart
		Log:     slog.Default(), // who leads, and what is missing
	})
	if err != nil {
		log.Fatal(err)
	}
	err = e.Run(context.Background(), func(ctx context.Context, term elector.Term) error {
		for {
			fmt.Println(os.Args[1], "leads, and writes with token", term.Token())
			select {
			case <-ctx.Done(): // this member must not lead any longer
				return nil
			case <-time.After(time.Second):
			}
		}
	})
	log.Fatal(err)
}
