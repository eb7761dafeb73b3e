// Command lease is the stand-in for an API server of Kubernetes. It keeps one Lease in memory. As with an API
// server, a write names the version that it replaces, and is refused if that is not the present one. It
// prints its address.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"sync"
)

// stored is a Lease.
type stored struct {
	Version int             `json:"version"`
	Record  json.RawMessage `json:"record"`
}

// server keeps one.
type server struct {
	mu    sync.Mutex
	lease *stored
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Method == http.MethodGet {
		if s.lease == nil {
			http.NotFound(w, r)
			return
		}
		_ = json.NewEncoder(w).Encode(s.lease)
		return
	}
	var next stored
	if err := json.NewDecoder(r.Body).Decode(&next); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	version := 0
	if s.lease != nil {
		version = s.lease.Version
	}
	if next.Version != version {
		http.Error(w, "conflict", http.StatusConflict)
		return
	}
	next.Version++
	s.lease = &next
	_ = json.NewEncoder(w).Encode(s.lease)
}

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("http://" + l.Addr().String())
	log.Fatal(http.Serve(l, &server{}))
}
