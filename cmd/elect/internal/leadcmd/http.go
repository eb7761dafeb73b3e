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

// readAddress reads the address of --http.
func readAddress(flag, text string) (string, error) {
	_, service, err := net.SplitHostPort(text)
	if err == nil {
		_, err = net.LookupPort("tcp", service)
	}
	if err != nil {
		return "", input.Errorf("%s: %w", flag, err)
	}
	return text, nil
}

// readLoopback reads the address of --control. It is on this machine, since whoever reaches it can change the members.
func readLoopback(flag, text string) (string, error) {
	if _, err := readAddress(flag, text); err != nil {
		return "", err
	}
	host, _, _ := net.SplitHostPort(text)
	if ip := net.ParseIP(host); host != "localhost" && !ip.IsLoopback() {
		return "", input.Errorf("%s: %.60q is not on this machine, as 127.0.0.1:8081 is: whoever reaches it can change "+
			"the members", flag, text)
	}
	return text, nil
}

// listen opens the addresses of --http and --control.
func (o *options) listen() (doors []door, err error) {
	for _, flag := range []string{"--http", "--control"} {
		control, address := flag == "--control", o.http
		if control {
			address = o.control
		}
		if address == "" {
			continue
		}
		l, err := net.Listen("tcp", address)
		if err != nil {
			shut(doors)
			return nil, exit.Failed(input.Errorf("%s: %w", flag, err))
		}
		doors = append(doors, door{l, control})
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
