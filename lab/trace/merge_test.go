package trace_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/catalog"
	"github.com/go-election/election/internal/catalogtest"
	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/lab/sim"
	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/process"
	"github.com/go-election/election/transport"
)

// parts cuts a trace into one of each process, as their programs would write them: by clocks of
// their own, and without the sendings of what is received.
func parts(tr *trace.Trace) []trace.Part {
	all := make([]trace.Part, len(tr.Header.Scenario.IDs))
	for p, id := range tr.Header.Scenario.IDs {
		all[p] = trace.Part{Name: fmt.Sprintf("part %d", id), Trace: &trace.Trace{Header: tr.Header}}
		for _, e := range tr.Events {
			if e.Process != id {
				continue
			}
			if e.At += time.Duration(p) * time.Second; e.Do == observe.Deliver {
				e.From = trace.Ref{}
			}
			all[p].Trace.Events = append(all[p].Trace.Events, e)
		}
	}
	return all
}

// TestMerge: the traces of single processes together are the trace of the run, up to the order of what
// has nothing to do with each other.
func TestMerge(t *testing.T) {
	for _, a := range catalogtest.Resting() {
		whole := simulated(t, sim.Config{Input: inputOf(t, a), Seed: 5})
		merged, err := trace.Merge(parts(whole)...)
		require.NoError(t, err, a.Title())
		require.Len(t, merged.Events, len(whole.Events))
		require.Empty(t, trace.Diff(whole, merged), a.Title())
		replays(t, merged)
		at := make(map[trace.Ref]time.Duration)
		for _, e := range merged.Events {
			at[e.Ref()] = e.At
			if e.From != (trace.Ref{}) {
				require.GreaterOrEqual(t, e.At, at[e.From], "%s: nothing arrives before it is sent",
					a.Title())
			}
		}
		again, err := trace.Merge(trace.Part{Name: "all", Trace: whole})
		require.NoError(t, err)
		require.Equal(t, whole.Events, again.Events, "a whole trace stays as it is")
	}
	_, err := trace.Merge()
	require.ErrorIs(t, err, election.ErrInput)
}

// TestMergeBack: a process that comes back has another part, before which it crashes.
func TestMergeBack(t *testing.T) {
	for _, back := range []func(in *scenario.Input, at []scenario.At){
		func(in *scenario.Input, at []scenario.At) { in.RestartAt = at },
		func(in *scenario.Input, at []scenario.At) { in.RecoverAt = at },
	} {
		a, err := catalog.Find("bully", "")
		require.NoError(t, err)
		in := scenario.Input{Algorithm: a, IDs: numbered(4),
			CrashAt: []scenario.At{{ID: 3, Time: 9 * scenario.Unit}}}
		back(&in, []scenario.At{{ID: 3, Time: 20 * scenario.Unit}})
		whole := simulated(t, sim.Config{Input: in})
		all := parts(whole)
		of := all[2].Trace.Events
		for i := range of {
			if of[i].Do != observe.Crash {
				continue
			}
			first, second := append([]trace.Event(nil), of[:i]...), append([]trace.Event(nil), of[i+1:]...)
			if second[0].Do == observe.Recover {
				second = second[1:] // a program does not know that it has been there before
			}
			start := second[0].At
			for k := range second {
				second[k].Seq = uint64(k + 1)
				second[k].At -= start
			}
			all[2].Trace.Events = first
			all = append(all, trace.Part{Name: "back", Trace: &trace.Trace{Header: whole.Header,
				Events: second}})
			break
		}
		require.Len(t, all, 5)
		merged, err := trace.Merge(all...)
		require.NoError(t, err)
		replays(t, merged)
		if in.RestartAt != nil {
			require.Empty(t, trace.Diff(whole, merged))
		}
	}
}

// TestMergeWrong: parts that do not fit together are refused, in a line that says why.
func TestMergeWrong(t *testing.T) {
	a, err := catalog.Find("lcr", "")
	require.NoError(t, err)
	whole := simulated(t, sim.Config{Input: scenario.Input{Algorithm: a, IDs: numbered(3)}})
	other := simulated(t, sim.Config{Input: scenario.Input{Algorithm: a, IDs: numbered(4)}})
	for want, change := range map[string]func(all []trace.Part) []trace.Part{
		"part 1 is the trace of another run than part 3: algorithm, processes, links or parameters differ": func(all []trace.Part) []trace.Part {
			return []trace.Part{all[2], parts(other)[0]}
		},
		"part 2 holds process 2, and so does part 2: only what comes back has a further part": func(all []trace.Part) []trace.Part {
			return append(all, all[1])
		},
		"part 2: line 6: process 2 receives election 1 from process 1, of which there is no trace": func(all []trace.Part) []trace.Part {
			return all[1:]
		},
		"part 2: line 6: process 2 receives election 1 from process 1, which does not send it, or not so " +
			"often, in part 1": func(all []trace.Part) []trace.Part {
			all[0].Trace.Events = all[0].Trace.Events[:2]
			return all
		},
		"part 1: line 5: process 1 receives what is sent only after that, in event 5 of process 3": func(all []trace.Part) []trace.Part {
			for p := range all { // each receives first and sends then
				of := all[p].Trace.Events
				for i := range of[:4] {
					if of[i].Do == observe.Send {
						of[i], of[i+1] = of[i+1], of[i]
						of[i].Seq, of[i+1].Seq = of[i+1].Seq, of[i].Seq
					}
				}
			}
			return all
		},
	} {
		_, err := trace.Merge(change(parts(whole))...)
		require.ErrorIs(t, err, election.ErrInput)
		require.Equal(t, election.ErrInput.Error()+": "+want, err.Error())
	}
}

// datagrams is a transport over UDP.
type datagrams struct {
	*net.UDPConn
	peers []netip.AddrPort // of process 1, 2, and so on
}

func (d datagrams) Send(_ context.Context, p election.Packet) error {
	_, err := d.WriteToUDPAddrPort(transport.AppendPacket(nil, p), d.peers[p.To-1])
	return err
}

func (d datagrams) Recv(ctx context.Context) (election.Packet, error) {
	stop := context.AfterFunc(ctx, func() { _ = d.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	b := make([]byte, transport.PacketSize+1)
	n, err := d.Read(b)
	if err != nil {
		return election.Packet{}, fmt.Errorf("%w: %w", election.ErrClosed, err)
	}
	return transport.ParsePacket(b[:n])
}

// programs is the variable by which a program of TestMergePrograms knows what to do.
const programs = "TRACE_TEST_PROGRAM"

// TestOneProgram is a program of TestMergePrograms: process so and so, the file, the addresses. Its
// socket is open already.
func TestOneProgram(t *testing.T) {
	args := strings.Fields(os.Getenv(programs))
	if len(args) == 0 {
		return // it is not started as a program
	}
	p, err := strconv.Atoi(args[0])
	require.NoError(t, err)
	packets, err := net.FilePacketConn(os.NewFile(3, "socket"))
	require.NoError(t, err)
	d := datagrams{UDPConn: packets.(*net.UDPConn)}
	for _, addr := range args[3:] {
		d.peers = append(d.peers, netip.MustParseAddrPort(addr))
	}
	a, err := catalog.Find(args[2], "")
	require.NoError(t, err)
	in := scenario.Input{Algorithm: a, IDs: numbered(len(d.peers))}
	file, err := os.Create(args[1])
	require.NoError(t, err)
	defer file.Close()
	r, err := trace.NewWriter(file, &in, trace.About{Driver: "process", Alone: true})
	require.NoError(t, err)
	c := processOf(t, &in, p, r)
	c.Transport = d
	_, err = process.Run(t.Context(), c)
	require.NoError(t, err)
	require.NoError(t, r.Close())
}

// TestMergePrograms: processes in programs of their own, over UDP, write a trace each, which are one
// together.
func TestMergePrograms(t *testing.T) {
	for _, name := range []string{"lcr", "hs", "inquiry"} {
		const n = 4
		var sockets []*os.File
		var addrs strings.Builder
		for range n {
			conn, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.MustParseAddrPort("127.0.0.1:0")))
			require.NoError(t, err)
			addrs.WriteString(" " + conn.LocalAddr().String())
			socket, err := conn.File()
			require.NoError(t, err)
			require.NoError(t, conn.Close())
			sockets = append(sockets, socket)
		}
		dir := t.TempDir()
		var all []*exec.Cmd
		for p := range n {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestOneProgram$")
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %s %s%s", programs, p,
				filepath.Join(dir, strconv.Itoa(p)), name, addrs.String()))
			cmd.ExtraFiles = []*os.File{sockets[p]}
			cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
			require.NoError(t, cmd.Start())
			all = append(all, cmd)
		}
		var files []trace.Part
		for p, cmd := range all {
			require.NoError(t, cmd.Wait())
			require.NoError(t, sockets[p].Close())
			text, err := os.ReadFile(filepath.Join(dir, strconv.Itoa(p)))
			require.NoError(t, err)
			tr, err := trace.Read(bytes.NewReader(text))
			require.NoError(t, err)
			files = append(files, trace.Part{Name: strconv.Itoa(p), Trace: tr})
		}
		merged, err := trace.Merge(files...)
		require.NoError(t, err)
		replays(t, merged)
		sent, received := 0, 0
		for i := range merged.Events {
			switch e := &merged.Events[i]; e.Do {
			case observe.Send:
				sent++
			case observe.Deliver:
				received++
				require.NotZero(t, e.From)
			}
		}
		require.NotZero(t, received)
		require.LessOrEqual(t, received, sent)
	}
}
