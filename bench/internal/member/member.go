// Package member is what the members of all systems have in common: how they learn what they are, and
// how they say that they lead.
package member

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Config is what a member gets from the bench.
type Config struct {
	Self      int           // its number
	Addresses []string      // of all members
	Server    string        // the address of the store, for systems that need one
	Lease     time.Duration // if zero, the default of the system
	Groups    int           // how many elections take place at once
}

// Name returns the name of a member.
func Name(i int) string { return fmt.Sprintf("m%d", i) }

// Request asks the leader to give up the lead.
type Request struct {
	To int // the member that is to lead next, or Any
}

// Any is a Request that names no successor.
const Any = -1

// Main runs a member until SIGTERM. Requests come from standard input.
func Main(run func(ctx context.Context, c Config, requests <-chan Request) error) {
	log.SetFlags(0)
	var c Config
	var addresses string
	flag.IntVar(&c.Self, "self", 0, "the number of this member")
	flag.StringVar(&addresses, "members", "", "the addresses of all members, with commas between")
	flag.StringVar(&c.Server, "server", "", "the address of the store")
	flag.DurationVar(&c.Lease, "lease", 0, "how long a leader leads unless it renews")
	flag.IntVar(&c.Groups, "groups", 1, "how many elections take place at once")
	flag.Parse()
	c.Addresses = strings.Split(addresses, ",")
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	asked := make(chan Request)
	go func() {
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			if lines.Text() == Report {
				report()
				continue
			}
			to, err := strconv.Atoi(lines.Text())
			if err != nil {
				log.Fatal(err)
			}
			asked <- Request{to}
		}
	}()
	err := run(ctx, c, asked)
	stop()
	if err != nil {
		log.Fatal(err)
	}
}

// Report is the line on standard input that asks a member for its requests to a store. The answer is a line that begins
// with the same word, and contains the numbers of reads and writes since the start, and the median of the times that the
// writes since the last report took.
const Report = "requests"

var requests struct {
	sync.Mutex
	reads, writes int
	took          []time.Duration
}

// Read counts a request to a store that changes nothing.
func Read() {
	requests.Lock()
	defer requests.Unlock()
	requests.reads++
}

// Write counts a write to a store. Call the function that it returns when the write has been answered.
func Write() (answered func()) {
	requests.Lock()
	defer requests.Unlock()
	requests.writes++ // before another member sees what is written
	began := time.Now()
	return func() {
		requests.Lock()
		defer requests.Unlock()
		requests.took = append(requests.took, time.Since(began))
	}
}

func report() {
	requests.Lock()
	defer requests.Unlock()
	slices.Sort(requests.took)
	median := time.Duration(0)
	if n := len(requests.took); n > 0 {
		median = requests.took[n/2]
	}
	requests.took = nil
	printing.Lock()
	defer printing.Unlock()
	fmt.Println(Report, requests.reads, requests.writes, int64(median))
}

var printing sync.Mutex

// Leads prints that this member begins to lead, or that it has stopped.
func Leads(is bool) { LeadsGroup("", is) }

// LeadsGroup prints the same of one of many groups, with its name behind a space.
func LeadsGroup(name string, is bool) {
	text := map[bool]string{true: "leads", false: "stopped"}[is]
	if name != "" {
		text += " " + name
	}
	printing.Lock()
	defer printing.Unlock()
	fmt.Println(text)
}
