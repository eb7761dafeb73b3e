//go:build unix

package consultest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/hashicorp/consul/command/agent"
	"github.com/hashicorp/consul/command/cli"
	mcli "github.com/mitchellh/cli"

	"github.com/go-election/election/adapters/consulstore"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/grouptest"
	"github.com/go-election/election/store"
	"github.com/go-election/election/store/storetest"
)

func TestMain(m *testing.M) {
	grouptest.Child(func(address string) (store.Store, error) { return open(nil, address), nil }, serve)
	os.Exit(m.Run())
}

func open(client *http.Client, address string) *consulstore.Store {
	return consulstore.New(client, "http://"+address, "")
}

// serve runs a server of Consul with its files in dir, and returns when it answers.
func serve(dir, address string) error {
	file := filepath.Join(dir, "consul.json")
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		if err := configure(file, address); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	ended := make(chan int, 1)
	ui := &cli.BasicUI{BasicUi: mcli.BasicUi{Writer: io.Discard, ErrorWriter: os.Stderr}}
	go func() {
		ended <- agent.New(ui).Run([]string{"-config-file", file, "-data-dir", filepath.Join(dir, "data")})
	}()
	for s := open(nil, address); ; time.Sleep(20 * time.Millisecond) {
		ctx, stop := context.WithTimeout(context.Background(), time.Second)
		_, _, err := s.Get(ctx, "ready")
		stop()
		if err == nil || errors.Is(err, store.ErrAbsent) {
			return nil
		}
		select {
		case code := <-ended:
			return fmt.Errorf("the agent has ended with %d: %w", code, err)
		default:
		}
	}
}

// configure writes the configuration of a cluster of one server, whose ports stay the same when it starts again.
func configure(file, address string) error {
	a, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	// A negative port turns a service off.
	ports := map[string]int{"http": int(a.Port()), "dns": -1, "grpc": -1, "grpc_tls": -1, "serf_wan": -1}
	for _, name := range []string{"server", "serf_lan"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer l.Close() // when all ports are chosen
		ports[name] = l.Addr().(*net.TCPAddr).Port
	}
	text, err := json.Marshal(map[string]any{"server": true, "bootstrap_expect": 1, "node_name": "n", "ports": ports,
		"bind_addr": "127.0.0.1", "client_addr": "127.0.0.1", "log_level": "error", "disable_update_check": true,
		"performance": map[string]int{"raft_multiplier": 1}})
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

func TestConformance(t *testing.T) {
	server := grouptest.Serve(t)
	storetest.Test(t, func(_ context.Context, address string) (store.Store, func() error, error) {
		return open(nil, address), nil, nil
	}, storetest.Options{Address: server.Address, Delete: func(ctx context.Context, key string) error {
		return remove(ctx, server.Address, key)
	}})
}

// TestElector: the lead passes from member to member while members and the server fail.
func TestElector(t *testing.T) {
	grouptest.Test(t, time.Second, grouptest.Serve(t), func(_ testing.TB, _, address string) (elector.Config, func()) {
		client, disconnect := grouptest.Client()
		return elector.Config{Group: "orders", Store: open(client, address)}, disconnect
	})
}

// TestProcesses: processes have one leader at a time, while they and the server are killed, stopped and cut off.
func TestProcesses(t *testing.T) { grouptest.Processes(t, grouptest.Serve(t)) }

// remove deletes a key by another hand.
func remove(ctx context.Context, address, key string) error {
	u := url.URL{Scheme: "http", Host: address, Path: "/v1/kv/" + key}
	r, err := http.NewRequestWithContext(ctx, http.MethodDelete, u.String(), nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", u.String(), answer.Status)
	}
	return nil
}
