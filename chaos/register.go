package main

import (
	"encoding/json"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/go-election/election/internal/suspend"
)

// operation is a read of the register or a write to it.
type operation struct {
	Process  int           `json:"process"`
	Number   uint32        `json:"number"` // of the process
	Read     bool          `json:"read,omitempty"`
	Last     bool          `json:"last,omitempty"`  // a write after which the work of this Term returns
	Token    uint64        `json:"token,omitempty"` // of a write
	Value    uint64        `json:"value"`           // written, or read
	Accepted bool          `json:"accepted,omitempty"`
	Call     time.Duration `json:"call,omitempty"`
	Return   time.Duration `json:"return,omitempty"` // zero if the answer has not arrived
}

// register is the resource that leaders write to. It refuses a write whose token is smaller than one that it has
// seen. Its socket has a path, so that it can be reached from all network namespaces.
type register struct {
	listener net.Listener
	serving  sync.WaitGroup

	mu         sync.Mutex
	connected  map[net.Conn]bool
	max, value uint64
	log        []operation // in the order in which they took effect
}

func serveRegister(path string) (*register, error) {
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	r := &register{listener: listener, connected: make(map[net.Conn]bool)}
	r.serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			r.mu.Lock()
			r.connected[conn] = true
			r.mu.Unlock()
			r.serving.Go(func() { r.serve(conn) })
		}
	})
	return r, nil
}

// close ends all connections.
func (r *register) close() error {
	err := r.listener.Close()
	r.mu.Lock()
	for conn := range r.connected {
		err = errors.Join(err, conn.Close())
	}
	r.mu.Unlock()
	r.serving.Wait()
	return err
}

func (r *register) serve(conn net.Conn) {
	in, out := json.NewDecoder(conn), json.NewEncoder(conn)
	for {
		var op operation
		if in.Decode(&op) != nil {
			break
		}
		op = r.apply(op)
		if out.Encode(op) != nil {
			break
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.connected[conn] {
		delete(r.connected, conn)
		_ = conn.Close() // may be closed already
	}
}

// apply executes an operation.
func (r *register) apply(op operation) operation {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case op.Read:
		op.Value = r.value
	case op.Token >= r.max:
		op.Accepted = true
		r.max, r.value = op.Token, op.Value
	}
	logged := op
	logged.Call = suspend.Now() // at or after the call; counts if no answer arrives
	r.log = append(r.log, logged)
	return op
}

// newest returns the largest token of a write.
func (r *register) newest() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.max
}

// operations returns all operations, in the order in which they took effect.
func (r *register) operations() []operation {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]operation(nil), r.log...)
}

// client is a connection to the register.
type client struct {
	conn net.Conn
	in   *json.Decoder
	out  *json.Encoder
}

func dial(path string) (*client, error) {
	conn, err := net.Dial("unix", path)
	if err != nil {
		return nil, err
	}
	return &client{conn, json.NewDecoder(conn), json.NewEncoder(conn)}, nil
}

func (c *client) close() { _ = c.conn.Close() } // no operation is in flight

// do sends an operation, and receives its result.
func (c *client) do(op *operation) error {
	if err := c.out.Encode(op); err != nil {
		return err
	}
	return c.in.Decode(op)
}
