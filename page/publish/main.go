// Command publish builds the page as it is published: as a folder for any web server, and as one file that
// needs none.
//
//	go run ./page/publish --out site --single site.html
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/go-election/election/page/build"
	"github.com/go-election/election/page/pack"
)

func main() {
	out := flag.String("out", "", "write the page into this new or empty `folder`")
	single := flag.String("single", "", "write the page as this `file`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := publish(ctx, *out, *single); err != nil {
		fmt.Fprintln(os.Stderr, "publish:", err)
		stop()
		os.Exit(1)
	}
}

func publish(ctx context.Context, out, single string) error {
	if out == "" && single == "" {
		return errors.New("nothing to do: give --out or --single")
	}
	site, err := build.Own(ctx, nil)
	if err != nil {
		return err
	}
	if site, err = pack.Pack(site); err != nil {
		return err
	}
	if out != "" {
		if err := site.WriteFolder(out); err != nil {
			return err
		}
		if err := pack.WriteBrotli(site, out); err != nil {
			return err
		}
	}
	if single == "" {
		return nil
	}
	text, err := site.Single()
	if err != nil {
		return err
	}
	return os.WriteFile(single, text, 0o666)
}
