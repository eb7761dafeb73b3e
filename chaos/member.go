package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/suspend"
	"github.com/go-election/election/transport/tcp"
)

// groupName is the group of all members.
const groupName = "chaos"

// settings is the first line of input of a member.
type settings struct {
	Self     string            `json:"self"`
	Address  string            `json:"address"`
	Members  map[string]string `json:"members"`
	Dir      string            `json:"dir,omitempty"`
	Times    elector.Times     `json:"times"`
	Rate     float64           `json:"rate"`            // of its clock
	Register string            `json:"register"`        // the socket of the register
	Process  int               `json:"process"`         // a number that no other process of the group has
	Certs    string            `json:"certs,omitempty"` // folder of certificates; empty without TLS
	Hooks    bool              `json:"hooks,omitempty"` // see hook
}

// report is a line of output of a member.
type report struct {
	Kind  string        `json:"kind"`
	Term  uint64        `json:"term,omitempty"`
	From  time.Duration `json:"from,omitempty"` // of a lease, by the clock that all processes share
	Until time.Duration `json:"until,omitempty"`
	ended bool          // the lease was found invalid

	Leader  string `json:"leader,omitempty"`  // of a view
	Members string `json:"members,omitempty"` // the agreed ones, of a view or a step
	Next    string `json:"next,omitempty"`    // of a step
	Struck  bool   `json:"struck,omitempty"`  // of a step: now the process stops or ends

	Operation *operation `json:"operation,omitempty"`
	Error     string     `json:"error,omitempty"`
}

// The kinds of report.
const (
	kindLease     = "lease"     // a lease is valid from From to Until; replaces the last report of this Term
	kindView      = "view"      // what Watch yields
	kindOperation = "operation" // the register has answered
	kindConfirmed = "confirmed" // Confirm, called at From, has returned nil
	kindStop      = "stop"      // the work was asked to stop
	kindStep      = "step"      // the members begin or end to change
	kindStall     = "stall"     // this process did not run between From and Until
	kindRefused   = "refused"   // a command has failed
	kindBroken    = "broken"    // a violation
)

// member is one process of a group, in that process.
type member struct {
	*settings
	elector *elector.Elector
	leading atomic.Int32
	writes  uint32

	mu  sync.Mutex
	out *json.Encoder
}

// runMember runs one process of a group until ctx or its input ends, and then hands over.
func runMember(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	m := &member{settings: &settings{}, out: json.NewEncoder(out)}
	first, err := lines.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(first, m.settings)
	}
	if err != nil {
		return fmt.Errorf("the settings: %w", err)
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	config := elector.Config{Group: groupName, Self: m.Self, Members: m.Members, TLS: m.identity(),
		InsecurePlaintext: m.Certs == "", Dir: m.Dir, Times: m.Times, Log: log}
	if m.Rate != 1 {
		began := suspend.Now()
		config.Clock = func() time.Duration {
			return time.Duration(float64(suspend.Now()-began) * m.Rate)
		}
	}
	if _, listed := m.Members[m.Self]; !listed {
		config.Listen = m.Address
	}
	var hook *hook
	if m.Hooks {
		var closeHook func()
		if hook, closeHook, err = openHook(m, &config); err != nil {
			return err
		}
		defer closeHook()
	}
	if m.elector, err = elector.New(config); err != nil {
		return err
	}
	if hook != nil {
		hook.elector.Store(m.elector)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Nothing waits for this goroutine, since no context ends its read.
	go func() {
		m.obey(ctx, lines, hook)
		cancel()
	}()
	var watching sync.WaitGroup
	watching.Go(func() { m.noteStalls(ctx) })
	watching.Go(func() {
		for v := range m.elector.Watch(ctx) {
			m.say(report{Kind: kindView, From: suspend.Now(), Leader: v.Leader, Term: v.Term,
				Members: v.Members})
		}
	})
	err = m.elector.Run(ctx, m.lead)
	cancel()
	watching.Wait()
	return err
}

// identity returns the certificates of a member; nil without TLS.
func (m *member) identity() *tcp.TLS {
	if m.Certs == "" {
		return nil
	}
	own := filepath.Join(m.Certs, m.Self)
	return &tcp.TLS{Cluster: certCluster,
		Load: tcp.Files(own+".pem", own+".key.pem", filepath.Join(m.Certs, "ca.pem"))}
}

// noteStalls reports times during which this process did not run, until ctx ends.
func (m *member) noteStalls(ctx context.Context) {
	step := m.Times.Lease / 20
	eachStep(ctx, step, func(before, now time.Duration) {
		if now-before > 2*step {
			m.say(report{Kind: kindStall, From: before + step, Until: now})
		}
	})
}

// obey executes commands until the input ends: "resign", "transfer" and a name, or what a hook does.
func (m *member) obey(ctx context.Context, lines *bufio.Reader, hook *hook) {
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		if hook.obey(strings.Fields(line)) {
			continue
		}
		// Both wait for other members. The harness sees the result in the leases.
		go func() {
			var err error
			if do, to, _ := strings.Cut(strings.TrimSpace(line), " "); do == "transfer" {
				err = m.elector.Transfer(ctx, to)
			} else {
				err = m.elector.Resign(ctx)
			}
			if err != nil {
				m.say(report{Kind: kindRefused, Error: err.Error()})
			}
		}()
	}
}

// say writes a report.
func (m *member) say(r report) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_ = m.out.Encode(r) // fails only if the harness has ended, and then so has the input
}

// lead is the work: it records how long the lease is valid, and writes to the register.
func (m *member) lead(ctx context.Context, term elector.Term) error {
	defer m.enter(term.Number)()
	defer context.AfterFunc(ctx, func() {
		m.say(report{Kind: kindStop, Term: term.Number, Error: context.Cause(ctx).Error()})
	})()
	// Nothing waits for confirm: the lead is handed over meanwhile.
	go m.confirm(ctx, term)
	register, err := dial(m.Register)
	if err != nil {
		return err
	}
	defer register.close()
	tick := time.NewTicker(max(m.Times.Lease/40, time.Millisecond))
	defer tick.Stop()
	r := report{Kind: kindLease, Term: term.Number}
	for i := 0; ctx.Err() == nil; i++ {
		if !m.note(&r, term) {
			break
		}
		// Write without checking the lease: only the register decides. So a member that is paused here writes during
		// the lease of its successor.
		if i%2 == 0 {
			if err := m.operate(register, operation{Token: term.Token(), Read: i%8 == 6}); err != nil {
				return err
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	// If the lease has expired, this write is too late, and the register must refuse it.
	err = m.operate(register, operation{Token: term.Token(), Last: true})
	// The lease is given up after this function returns, and may be valid until then.
	if m.note(&r, term); r.Until > 0 {
		r.Until = min(r.Until, suspend.Now())
		m.say(r)
	}
	return err
}

// enter records that the work begins. Call leave when it ends.
func (m *member) enter(term uint64) (leave func()) {
	if n := m.leading.Add(1); n != 1 {
		m.say(report{Kind: kindBroken, Term: term, Error: fmt.Sprintf("%d calls of lead at once", n)})
	}
	return func() { m.leading.Add(-1) }
}

// confirm calls Confirm once in each lease, and once more when the work has to stop.
func (m *member) confirm(ctx context.Context, term elector.Term) {
	tick := time.NewTicker(m.Times.Lease)
	defer tick.Stop()
	for last := false; ; {
		asked := suspend.Now()
		// Without the cancellation of ctx, since the most interesting calls come after it. Confirm ends with the
		// lease.
		if term.Confirm(context.WithoutCancel(ctx)) == nil {
			m.say(report{Kind: kindConfirmed, Term: term.Number, From: asked})
		}
		if last {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			last = true
		}
	}
}

// validity is the part of elector.Term that concerns its lease.
type validity interface {
	Valid(margin time.Duration) bool
	Left() time.Duration
}

// note records from when until when the lease is valid, and returns whether it is.
func (m *member) note(r *report, term validity) bool {
	// Read the clock first, so that a pause in between makes the lease look shorter, not longer.
	now := suspend.Now()
	if !term.Valid(0) {
		r.ended = true
		return false
	}
	until := now + time.Duration(float64(term.Left())/m.Rate)
	if r.From == 0 {
		r.From = now
	}
	if r.ended {
		m.say(report{Kind: kindBroken, Term: r.Term, Error: "a lease that had ended is valid again"})
	}
	if until > r.Until {
		r.Until = until
		m.say(*r)
	}
	return true
}

// operate writes to the register, or reads it, and reports the result.
func (m *member) operate(register *client, op operation) error {
	m.writes++
	op.Process, op.Number = m.Process, m.writes
	if !op.Read {
		op.Value = uint64(m.Process)<<32 | uint64(m.writes)
	}
	op.Call = suspend.Now()
	if err := register.do(&op); err != nil {
		return errors.Join(errors.New("the register has gone"), err)
	}
	op.Return = suspend.Now()
	m.say(report{Kind: kindOperation, Operation: &op})
	return nil
}
