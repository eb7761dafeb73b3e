package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport/tcp"
	"github.com/go-election/election/transport/tcp/certs"
)

// asScale is the argument with which this test binary runs a whole group, see runScale.
const asScale = "scale"

// scale is what a group on one machine costs.
type scale struct {
	First   time.Duration // from the start of all processes until the first leader
	All     time.Duration // until all processes know it
	Bytes   float64       // a second at rest, with the headers of IP and TCP
	Packets float64       // a second
	Sockets int           // of connections, at both ends
}

// TestScale measures a group on one machine, in a network namespace of its own. Observers have connections to members
// only, and a hundred of them cost at most 30 kB a second at rest. With -v it prints the figures of docs/services.md.
func TestScale(t *testing.T) {
	if testing.Short() || os.Getuid() != 0 || !has("ip") {
		t.Skip("takes a minute, root and ip")
	}
	for _, c := range []struct{ members, observers int }{{5, 0}, {3, 100}, {5, 100}, {31, 0}} {
		for _, secure := range []bool{false, true} {
			s := measureScale(t, c.members, c.observers, secure)
			t.Logf("%d members, %d observers, TLS %t: first leader after %v, known to all after %v; %d sockets; "+
				"at rest %.1f kB and %.0f packets a second", c.members, c.observers, secure,
				s.First.Round(time.Millisecond), s.All.Round(time.Millisecond), s.Sockets, s.Bytes/1000, s.Packets)
			// A connection of each pair, and two ends of each.
			require.Equal(t, c.members*(c.members-1+2*c.observers), s.Sockets)
			if c.observers == 100 && s.All < 10*time.Second { // a busy machine is not at rest yet
				require.Less(t, s.Bytes, 30e3)
			}
		}
	}
}

func measureScale(t *testing.T, members, observers int, secure bool) (s scale) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], asScale, strconv.Itoa(members), strconv.Itoa(observers),
		strconv.FormatBool(secure))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Cloneflags: syscall.CLONE_NEWNET}
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(out, &s))
	return s
}

// runScale runs a group in this process and writes what it costs.
func runScale() {
	if err := runGroup(os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func runGroup(args []string) error {
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	more, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	// Segments as on a wire: the loopback interface would carry 64 kB at a time.
	if err := command("", "ip", "link", "set", "lo", "up", "mtu", "1500"); err != nil {
		return err
	}
	members, observers := map[string]string{}, map[string]string{}
	for i := range n + more {
		list := members
		if i >= n {
			list = observers
		}
		list[fmt.Sprint("m", i)] = fmt.Sprintf("127.0.0.1:%d", 10000+i)
	}
	identity := func(string) *tcp.TLS { return nil }
	if args[2] == "true" {
		dir, err := os.MkdirTemp("", "scale")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if identity, err = issueAll(dir, members, observers); err != nil {
			return err
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var electors []*elector.Elector
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	began := time.Now()
	for i := range n + more {
		name := fmt.Sprint("m", i)
		e, err := elector.New(elector.Config{Group: "g", Self: name, Members: members, Observers: observers,
			TLS: identity(name)})
		if err != nil {
			return err
		}
		electors = append(electors, e)
		running.Go(func() {
			if i >= n {
				_ = e.Serve(ctx)
				return
			}
			_ = e.Run(ctx, func(ctx context.Context, _ elector.Term) error { <-ctx.Done(); return nil })
		})
	}
	var s scale
	wait, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var first sync.Once
	var waiting sync.WaitGroup
	for _, e := range electors {
		waiting.Go(func() {
			if _, err := e.Wait(wait); err == nil {
				first.Do(func() { s.First = time.Since(began) })
			}
		})
	}
	waiting.Wait()
	s.All = time.Since(began)
	time.Sleep(5 * time.Second)
	b, p, err := carried()
	if err != nil {
		return err
	}
	const measured = 20 * time.Second
	time.Sleep(measured)
	b2, p2, err := carried()
	if err != nil {
		return err
	}
	s.Bytes, s.Packets = float64(b2-b)/measured.Seconds(), float64(p2-p)/measured.Seconds()
	entries, err := os.ReadFile("/proc/self/net/tcp")
	if err != nil {
		return err
	}
	s.Sockets = strings.Count(string(entries), " 01 ") // established
	return json.NewEncoder(os.Stdout).Encode(s)
}

// carried returns what the loopback interface has carried, without the headers of Ethernet.
func carried() (bytes, packets int, err error) {
	b, err := os.ReadFile("/proc/self/net/dev")
	if err != nil {
		return 0, 0, err
	}
	_, after, _ := strings.Cut(string(b), "lo:")
	if _, err := fmt.Sscan(after, &bytes, &packets); err != nil {
		return 0, 0, err
	}
	const ethernet = 14
	return bytes - ethernet*packets, packets, nil
}

// issueAll makes a certificate for each name.
func issueAll(dir string, lists ...map[string]string) (func(string) *tcp.TLS, error) {
	ca, err := certs.NewCA("scale", time.Now(), time.Hour)
	if err != nil {
		return nil, err
	}
	at := func(name, suffix string) string { return fmt.Sprint(dir, "/", name, suffix) }
	if err := os.WriteFile(at("ca", ".pem"), ca.Cert, 0o600); err != nil {
		return nil, err
	}
	for _, list := range lists {
		for name := range list {
			cert, key, err := ca.Issue("scale", name, time.Now(), time.Hour)
			if err != nil {
				return nil, err
			}
			if err := os.WriteFile(at(name, ".pem"), cert, 0o600); err != nil {
				return nil, err
			}
			if err := os.WriteFile(at(name, ".key.pem"), key, 0o600); err != nil {
				return nil, err
			}
		}
	}
	return func(name string) *tcp.TLS {
		return &tcp.TLS{Cluster: "scale", Load: tcp.Files(at(name, ".pem"), at(name, ".key.pem"), at("ca", ".pem"))}
	}, nil
}
