// Command processes is one process of a group that elects a leader over UDP; it is to be started
// once for each member, in a program of its own:
//
//	processes -id 3 -of 1,2,3,4,5
//
// It prints the address at which it listens ("listens 127.0.0.1:4711") and reads
// the addresses of the others, a line each, from its standard input ("2 127.0.0.1:4712"), each of which it
// confirms ("knows 2 127.0.0.1:4712"). When it knows all of them it begins. From then on it
// prints whenever it believes something else ("5 leads in term 7"; "no leader in term 8"
// during an election). It ends with its standard input. What it must remember is in the file -state.
//
// A process that has come back has another address: let all others confirm it before the process
// reads theirs, or its first messages are dropped.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/bully"
	"github.com/go-election/election/process"
)

func main() {
	var timing bully.Config
	self := flag.Uint64("id", 0, "which member this process is")
	of := flag.String("of", "1,2,3,4,5", "all members")
	flag.DurationVar(&timing.Delay, "delay", 500*time.Millisecond, "the longest that a message takes")
	flag.DurationVar(&timing.Processing, "processing", 200*time.Millisecond, "the longest that a process "+
		"takes to handle it")
	flag.DurationVar(&timing.Heartbeat, "heartbeat", 500*time.Millisecond, "how often a leader says that "+
		"it is there")
	state := flag.String("state", "", "the file in which this process remembers its terms; without one it "+
		"forgets them when it ends")
	flag.Parse()
	if err := run(election.ID(*self), *of, *state, timing, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "processes:", err)
		os.Exit(1)
	}
}

func run(self election.ID, of, state string, timing bully.Config, in io.Reader, out io.Writer) error {
	algorithm, err := bully.Rules(timing)
	if err != nil {
		return err
	}
	if self == 0 {
		return fmt.Errorf("-id is missing: which of the members %s this process is", of)
	}
	members, err := membersOf(self, of)
	if err != nil {
		return err
	}
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return err
	}
	transport := newUDP(conn)
	defer transport.Close()
	say := speaker(out)
	config := process.Config{
		Algorithm: algorithm,
		Self:      election.Rank{ID: self},
		Peers:     members,
		Transport: transport,
		Unordered: true,
		OnOutcome: func(o election.Outcome) { say(inWords(o)) },
		Log:       slog.Default(),
	}
	if state != "" {
		if config.Saved, err = readState(state); err != nil {
			return err
		}
		config.Save = func(b []byte) error { return saveState(state, b) }
	}
	process, err := process.New(config)
	if err != nil {
		return err
	}
	say("listens", conn.LocalAddr())
	return takePart(process, len(members)-1, transport, in, say)
}

// speaker returns what prints a line. Several goroutines may do that at once.
func speaker(out io.Writer) func(words ...any) {
	var mu sync.Mutex
	return func(words ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(out, words...)
	}
}

// takePart runs the process when it knows all others, and goes on to take in new addresses, until there
// are no more, or until the process fails.
func takePart(process *process.Process, others int, transport *udp, in io.Reader, say func(...any)) error {
	over := make(chan struct{})
	defer close(over)
	lines, read := listen(in, over)
	ended := make(chan error, 1)
	running := false
	for {
		select {
		case err := <-ended:
			return err
		case err := <-read:
			process.Close()
			if running {
				err = errors.Join(err, <-ended)
			}
			return err
		case line := <-lines:
			known, err := introduce(line, transport, say)
			if err != nil {
				return err
			}
			if known == others && !running {
				running = true
				go func() { ended <- process.Run(context.Background()) }()
			}
		}
	}
}

// listen hands on the lines that come in, and in the end why there are no more, until it is over.
func listen(in io.Reader, over <-chan struct{}) (lines chan string, read chan error) {
	lines, read = make(chan string), make(chan error, 1)
	go func() {
		s := bufio.NewScanner(in)
		for s.Scan() {
			select {
			case lines <- s.Text():
			case <-over:
				return
			}
		}
		read <- s.Err()
	}()
	return lines, read
}

// introduce notes where another member is, and returns how many are known.
func introduce(line string, transport *udp, say func(...any)) (known int, err error) {
	var id election.ID
	var at string
	if _, err := fmt.Sscan(line, &id, &at); err != nil {
		return 0, fmt.Errorf("%q is not a member and its address: %w", line, err)
	}
	addr, err := netip.ParseAddrPort(at)
	if err != nil {
		return 0, err
	}
	known = transport.know(id, addr)
	say("knows", id, addr)
	return known, nil
}

// membersOf returns all members, of which self must be one.
func membersOf(self election.ID, of string) ([]election.Rank, error) {
	var all []election.Rank
	for id := range strings.SplitSeq(of, ",") {
		n, err := strconv.ParseUint(id, 10, 64)
		if err != nil {
			return nil, err
		}
		all = append(all, election.Rank{ID: election.ID(n)})
	}
	if !slices.Contains(all, election.Rank{ID: self}) {
		return nil, fmt.Errorf("-id: %d is none of %q", self, of)
	}
	return all, nil
}

func inWords(o election.Outcome) string {
	if o.Role == election.Undecided {
		return fmt.Sprintf("no leader in term %d", o.Term)
	}
	return fmt.Sprintf("%d leads in term %d", o.Leader.ID, o.Term)
}
