// Package server is what the servers that run in a process of their own have in common.
package server

import (
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"
)

// Main runs a server until SIGTERM, and prints its address. The function start starts it with its files in a directory,
// which Main removes after stop.
func Main(start func(dir string) (address string, stop func(), err error)) {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM)
	if err := run(ended, start); err != nil {
		log.Fatal(err)
	}
}

func run(ended <-chan os.Signal, start func(dir string) (address string, stop func(), err error)) error {
	dir, err := os.MkdirTemp("", "bench-server")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	address, stop, err := start(dir)
	if err != nil {
		return err
	}
	defer stop()
	fmt.Println(address)
	<-ended
	return nil
}
