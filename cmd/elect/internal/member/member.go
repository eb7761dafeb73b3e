// Package member asks members by HTTP for their state, as elector.Handler answers.
package member

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-election/election/cmd/elect/internal/exit"
	"github.com/go-election/election/input"
)

// Status is the part of the answer that commands read.
type Status struct {
	Group, Self, Role string
	Store             bool // keeps the lease, and not members
	Agreed            struct {
		Label         string
		Members, Next []string
		Called        bool
		Since         time.Time
	}
	Lists    map[string][]string
	Waits    string
	Leader   string
	Address  string // that the leader advertises
	Term     uint64
	Leads    bool
	Left     float64 `json:"lease_left_seconds"`
	Healthy  bool
	Reason   string
	Version  string
	Complete json.RawMessage `json:"-"` // the answer
}

// Address reads the URL of a member.
func Address(text string) (*url.URL, error) {
	whole := text
	if !strings.Contains(text, "://") {
		whole = "http://" + text
	}
	u, err := url.Parse(whole)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, input.Errorf("%.60q is not the URL of a member, as in 10.0.0.1:8080", text)
	}
	u.Path = cmp.Or(u.Path, "/")
	return u, nil
}

// Ask sends a request to a member, and returns its state.
func Ask(ctx context.Context, method string, u *url.URL, body []byte) (*Status, error) {
	request, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, exit.Failed(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return nil, exit.Failed(err)
	}
	switch at := u.Redacted(); {
	case response.StatusCode == http.StatusNotFound || response.StatusCode == http.StatusMethodNotAllowed:
		return nil, exit.Failed(fmt.Errorf("%s: %s: it is not the URL of a member for this command", at, response.Status))
	case response.StatusCode != http.StatusOK:
		return nil, exit.Failed(fmt.Errorf("%s: %s", at, strings.TrimSpace(string(text))))
	}
	var s Status
	if err := json.Unmarshal(text, &s); err != nil || s.Self == "" {
		return nil, exit.Failed(fmt.Errorf("%s: the answer is not the state of a member", u.Redacted()))
	}
	s.Complete = text
	return &s, nil
}
