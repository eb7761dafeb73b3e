// Command fencing-sql is a member of a service whose leader writes to an SQLite file that all members share. Each
// write carries the fencing token of its leader, and the database refuses tokens of earlier leaders:
//
//	fencing-sql jobs.db a a=127.0.0.1:7946 b=127.0.0.1:7947 c=127.0.0.1:7948
//
// It is a separate module because of its driver: build it in this folder with GOWORK=off go build.
package main

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/elector/fence"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) < 4 {
		log.Fatal("usage: fencing-sql FILE SELF NAME=HOST:PORT ...")
	}
	self := os.Args[2]
	members, err := elector.ParseMembers(os.Args[3:]...)
	if err != nil {
		log.Fatal(err)
	}
	db, err := open(ctx, os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	e, err := elector.New(elector.Config{Group: "jobs", Self: self, Members: members, Log: slog.Default()})
	if err != nil {
		log.Fatal(err)
	}
	err = e.Run(ctx, func(ctx context.Context, term elector.Term) error {
		err := lead(ctx, db, self, term.Token(), e.Advance)
		if err == nil || ctx.Err() != nil {
			return nil
		}
		log.Print(err)
		return elector.Pause(time.Minute) // another member leads; any other error would end Run
	})
	if err != nil {
		log.Fatal(err)
	}
}

// lead writes a row each second as long as this member leads. If the database refuses its token, it passes the token
// in the database to advance.
func lead(ctx context.Context, db *sql.DB, self string, token uint64, advance func(uint64) error) error {
	log.Println(self, "leads, and writes with token", token)
	for every := time.Tick(time.Second); ; {
		err := write(ctx, db, token, self)
		if errors.Is(err, fence.ErrStale) {
			log.Print(err)
			// Another member leads, or the members have lost their memory and Terms have decreased. In either case
			// the next Term of this member must be larger.
			var known uint64
			err = db.QueryRowContext(ctx, `SELECT token FROM election_fence WHERE name = $1`, "jobs").Scan(&known)
			if err == nil {
				err = advance(known)
			}
		}
		if err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-every:
		case <-ctx.Done():
			return nil
		}
	}
}
