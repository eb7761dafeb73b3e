package leadcmd

import (
	"net"
	"net/http"
	"time"

	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/input"
)

// door is where a member answers by HTTP.
type door struct {
	net.Listener
	control bool
}

// checkAddress checks the address of --http.
func checkAddress(where, text string) error {
	_, service, err := net.SplitHostPort(text)
	if err == nil {
		_, err = net.LookupPort("tcp", service)
	}
	if err != nil {
		return input.Errorf("%s: %w", where, err)
	}
	return nil
}

// checkLoopback checks the address of --control, which must be a loopback address: anybody who can connect to it can
// change the members.
func checkLoopback(where, text string) error {
	if err := checkAddress(where, text); err != nil {
		return err
	}
	host, _, _ := net.SplitHostPort(text)
	if ip := net.ParseIP(host); host != "localhost" && !ip.IsLoopback() {
		return input.Errorf("%s: %.60q is not a loopback address such as 127.0.0.1:8081: anybody who can connect to "+
			"it can change the members", where, text)
	}
	return nil
}

// listen opens the addresses of --http and --control.
func (s *settings) listen() (doors []door, err error) {
	for _, d := range []struct {
		name    string
		control bool
		check   func(where, text string) error
	}{{"http", false, checkAddress}, {"control", true, checkLoopback}} {
		address, where := s.find(d.name)
		if address == "" {
			continue
		}
		err := d.check(where, address)
		var l net.Listener
		if err == nil {
			if l, err = net.Listen("tcp", address); err != nil {
				err = exit.Failed(input.Errorf("%s: %w", where, err))
			}
		}
		if err != nil {
			shut(doors)
			return nil, err
		}
		doors = append(doors, door{l, d.control})
	}
	return doors, nil
}

func shut(doors []door) {
	for _, d := range doors {
		_ = d.Close()
	}
}

// serve answers until stop is called.
func serve(doors []door, e *elector.Elector) (stop func()) {
	var servers []*http.Server
	for _, d := range doors {
		mux := http.NewServeMux()
		mux.Handle("/", e.Handler())
		if d.control {
			mux.Handle("/members", e.MembersHandler())
		}
		s := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
		servers = append(servers, s)
		go func() { _ = s.Serve(d) }() // until stop closes it
	}
	return func() {
		for _, s := range servers {
			_ = s.Close()
		}
	}
}
