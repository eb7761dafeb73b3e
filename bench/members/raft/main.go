// Command raft is a member over hashicorp/raft, with the times of its DefaultConfig.
package main

import (
	"context"
	"io"
	"log"
	"net"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"

	"github.com/go-election/election/bench/internal/member"
)

func main() { member.Main(run) }

// nothing is a state machine without a state: only the leader counts.
type nothing struct{}

func (nothing) Apply(*raft.Log) any                  { return nil }
func (nothing) Snapshot() (raft.FSMSnapshot, error)  { return nothing{}, nil }
func (nothing) Restore(r io.ReadCloser) error        { return r.Close() }
func (nothing) Persist(sink raft.SnapshotSink) error { return sink.Close() }
func (nothing) Release()                             {}

// start runs raft. Its log is in memory, as it has nothing to keep; a member that comes back begins with the
// configuration of the start.
func start(c member.Config) (*raft.Raft, error) {
	own := raft.DefaultConfig()
	own.LocalID, own.Logger = raft.ServerID(member.Name(c.Self)), hclog.NewNullLogger()
	address, err := net.ResolveTCPAddr("tcp", c.Addresses[c.Self])
	if err != nil {
		return nil, err
	}
	t, err := raft.NewTCPTransport(c.Addresses[c.Self], address, 3, time.Second, io.Discard)
	if err != nil {
		return nil, err
	}
	var all raft.Configuration
	for i, address := range c.Addresses {
		all.Servers = append(all.Servers, raft.Server{
			ID: raft.ServerID(member.Name(i)), Address: raft.ServerAddress(address)})
	}
	store, snapshots := raft.NewInmemStore(), raft.NewInmemSnapshotStore()
	if err := raft.BootstrapCluster(own, store, store, snapshots, t, all); err != nil {
		return nil, err
	}
	return raft.NewRaft(own, nothing{}, store, store, snapshots, t)
}

func run(ctx context.Context, c member.Config, requests <-chan member.Request) error {
	r, err := start(c)
	if err != nil {
		return err
	}
	for {
		select {
		case is := <-r.LeaderCh():
			member.Leads(is)
		case q := <-requests:
			if err := transfer(r, q.To, c.Addresses).Error(); err != nil {
				log.Print(err)
			}
		case <-ctx.Done():
			if r.State() == raft.Leader {
				if err := transfer(r, member.Any, nil).Error(); err != nil {
					log.Print(err)
				}
			}
			return r.Shutdown().Error()
		}
	}
}

// transfer gives up the lead.
func transfer(r *raft.Raft, to int, addresses []string) raft.Future {
	if to == member.Any {
		return r.LeadershipTransfer()
	}
	return r.LeadershipTransferToServer(raft.ServerID(member.Name(to)), raft.ServerAddress(addresses[to]))
}
