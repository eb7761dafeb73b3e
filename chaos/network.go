package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// prefix begins the names of everything that chaos makes on a machine, so that sweep finds it if chaos was killed.
const prefix = "chaos"

// runName returns the prefix of this run.
func runName() string { return fmt.Sprintf("%s%d.", prefix, os.Getpid()) }

// unique counts networks and groups of addresses.
var unique atomic.Int32

// port is the port of members.
const port = 7946

// loopbackAddresses returns loopback addresses that no other group has. On Linux all of 127.0.0.0/8 is this machine,
// so no connection gets the port of a member that is down, as might happen with free ports of 127.0.0.1.
func loopbackAddresses(n int) map[string]string {
	addresses := make(map[string]string)
	pid, group := os.Getpid(), unique.Add(1)
	for i := range n {
		addresses[memberName(i)] = fmt.Sprintf("127.%d.%d.%d:%d", 1+pid%250, group%250, 1+i+16*(pid/250%15),
			port)
	}
	return addresses
}

// network connects members to a bridge by virtual cables. Everything is in namespaces: removing them removes it.
type network struct {
	name string
	n    int
}

func openNetwork(n int) (*network, error) {
	w := &network{name: fmt.Sprintf("%s%d.", runName(), unique.Add(1)), n: n}
	steps := [][]string{
		{"netns", "add", w.hub()},
		{"-n", w.hub(), "link", "add", "bridge", "type", "bridge"},
		{"-n", w.hub(), "link", "set", "bridge", "up"},
	}
	for i := range n {
		space, plug := w.namespace(i), fmt.Sprintf("plug%d", i)
		steps = append(steps, [][]string{
			{"netns", "add", space},
			{"-n", space, "link", "add", "eth0", "type", "veth", "peer", "name", plug, "netns", w.hub()},
			{"-n", w.hub(), "link", "set", plug, "master", "bridge", "up"},
			{"-n", space, "address", "add", ip(i) + "/24", "dev", "eth0"},
			{"-n", space, "link", "set", "eth0", "up"},
			{"-n", space, "link", "set", "lo", "up"},
		}...)
	}
	for _, s := range steps {
		if err := command("", append([]string{"ip"}, s...)...); err != nil {
			return w, err
		}
	}
	return w, w.heal()
}

// hub is the namespace of the bridge.
func (w *network) hub() string { return w.name + "hub" }

// namespace is the namespace of a member.
func (w *network) namespace(i int) string { return w.name + memberName(i) }

func ip(i int) string { return fmt.Sprintf("10.77.0.%d", i+1) }

// addresses returns the addresses of this many members, on the first machines.
func (w *network) addresses(members int) map[string]string {
	all := make(map[string]string)
	for i := range members {
		all[memberName(i)] = w.address(i)
	}
	return all
}

// address returns the address of a member on a machine.
func (w *network) address(machine int) string { return fmt.Sprintf("%s:%d", ip(machine), port) }

// cut drops all packets from some members to others. TCP retransmits packets in flight with growing intervals, as in
// a real network.
func (w *network) cut(from, to []int) error {
	var rules strings.Builder
	for _, a := range from {
		for _, b := range to {
			if a != b {
				fmt.Fprintf(&rules, "add rule bridge cuts forward ip saddr %s ip daddr %s drop\n", ip(a),
					ip(b))
			}
		}
	}
	return command(rules.String(), "ip", "netns", "exec", w.hub(), "nft", "-f", "-")
}

// lose drops this percentage of packets, between all members.
func (w *network) lose(percent int) error {
	return command(fmt.Sprintf("add rule bridge cuts forward numgen random mod 100 < %d drop\n", percent),
		"ip",
		"netns", "exec", w.hub(), "nft", "-f", "-")
}

// heal ends all cuts.
func (w *network) heal() error {
	return command("add table bridge cuts\n"+
		"add chain bridge cuts forward { type filter hook forward priority 0; }\n"+
		"flush chain bridge cuts forward\n", "ip", "netns", "exec", w.hub(), "nft", "-f", "-")
}

// reset makes the kernel answer packets of a member with a RST that the peer has not sent, or stops that.
func (w *network) reset(i int, on bool) error {
	rules := "add table ip resets\n" +
		"add chain ip resets output { type filter hook output priority 0; }\n" +
		"flush chain ip resets output\n"
	if on {
		rules += "add rule ip resets output ip daddr 10.77.0.0/24 meta l4proto tcp reject with tcp reset\n"
	}
	return command(rules, "ip", "netns", "exec", w.namespace(i), "nft", "-f", "-")
}

// close removes the network. No process may be in it.
func (w *network) close() (err error) {
	for _, name := range namespaces() {
		if strings.HasPrefix(name, w.name) {
			err = errors.Join(err, command("", "ip", "netns", "delete", name))
		}
	}
	return err
}

// namespaces returns the names of the namespaces on this machine.
func namespaces() (names []string) {
	entries, err := os.ReadDir("/run/netns")
	if err != nil {
		return nil // there are none
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// sweep removes what killed runs have left.
func sweep() {
	for _, name := range namespaces() {
		if left(name) {
			_ = command("", "ip", "netns", "delete", name)
		}
	}
	dirs, _ := filepath.Glob(filepath.Join(freezer, prefix+"*"))
	for _, dir := range dirs {
		if left(filepath.Base(dir)) {
			_ = thaw(dir)
		}
	}
	dirs, _ = filepath.Glob(filepath.Join(os.TempDir(), prefix+"*"))
	for _, dir := range dirs {
		if !left(filepath.Base(dir)) {
			continue
		}
		disks, _ := filepath.Glob(filepath.Join(dir, "?"))
		for _, disk := range disks {
			_ = command("", "fsfreeze", "-u", disk) // most are not frozen, or not file systems
			_ = command("", "umount", disk)
		}
		_ = os.RemoveAll(dir)
	}
}

// left reports whether a name belongs to a run that has ended.
func left(name string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	number, _, dotted := strings.Cut(rest, ".")
	pid, err := strconv.Atoi(number)
	return ok && dotted && err == nil && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

// has reports whether programs are installed.
func has(programs ...string) bool {
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			return false
		}
	}
	return true
}
