// Package consulstore keeps a record in a key of Consul.
//
//	s := consulstore.New(nil, "http://127.0.0.1:8500", os.Getenv("CONSUL_HTTP_TOKEN"))
//	e, err := elector.New(elector.Config{Group: "orders", Self: "a", Store: s})
//
// The record of the group "orders" is the value of the key election/orders, which the token must be allowed to read and
// to write. There is no session. So neither the 10 seconds that a session of Consul lives at least nor the lock-delay
// of 15 seconds matter, and failover takes about a lease.
//
// A write is a transaction that compares the ModifyIndex, and returns the new one; PUT /v1/kv?cas= returns only whether
// it has written. Changes arrive by blocking queries.
//
// # Tested with
//
// A server of Consul 1.20 in a process of its own, which tests kill and start again: see adapters/consultest.
package consulstore

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-election/election/store"
)

// Store keeps each value at a key. It implements [store.Watcher].
type Store struct {
	client        *http.Client
	server, token string
}

// New returns a Store at an agent or server, such as http://127.0.0.1:8500. The token may be empty. If client is nil,
// http.DefaultClient.
func New(client *http.Client, server, token string) *Store {
	if client == nil {
		client = http.DefaultClient
	}
	return &Store{client, strings.TrimSuffix(server, "/"), token}
}

// pair is a key with its value. encoding/json encodes the value as Consul does, in base64.
type pair struct {
	Verb        string `json:",omitempty"`
	Key         string
	Value       []byte
	Index       uint64 `json:",omitempty"`
	ModifyIndex uint64 `json:",omitempty"`
}

// Get reads a key.
func (s *Store) Get(ctx context.Context, key string) ([]byte, string, error) {
	value, revision, _, err := s.get(ctx, key, nil)
	return value, revision, err
}

// get also returns the index from which a blocking query has to wait.
func (s *Store) get(ctx context.Context, key string, query url.Values) (value []byte, revision, index string, err error) {
	r, err := s.send(ctx, http.MethodGet, keyPath(key)+"?"+query.Encode(), nil)
	if err != nil {
		return nil, "", "", err
	}
	defer r.Body.Close()
	index = r.Header.Get("X-Consul-Index")
	var found []pair
	switch {
	case r.StatusCode == http.StatusNotFound && index != "": // without the header it is not from Consul
		return nil, "", index, fmt.Errorf("consulstore: %w", store.ErrAbsent)
	case r.StatusCode != http.StatusOK:
		return nil, "", "", failed(r)
	case index == "":
		return nil, "", "", errors.New("consulstore: the answer has no X-Consul-Index")
	}
	if err := json.NewDecoder(r.Body).Decode(&found); err != nil {
		return nil, "", "", fmt.Errorf("consulstore: %w", err)
	}
	_, _ = io.Copy(io.Discard, r.Body) // so that the connection is used again
	if len(found) != 1 {
		return nil, "", "", fmt.Errorf("consulstore: the answer has %d values, want one", len(found))
	}
	return found[0].Value, strconv.FormatUint(found[0].ModifyIndex, 10), index, nil
}

// Put writes a key in a transaction.
func (s *Store) Put(ctx context.Context, key string, value []byte, revision string) (string, error) {
	index, err := strconv.ParseUint("0"+revision, 10, 64) // 0 creates a key
	if err != nil {
		return "", fmt.Errorf("consulstore: the revision %.60q is not from here: %w", revision, store.ErrConflict)
	}
	type operation struct{ KV pair }
	body, err := json.Marshal([]operation{{pair{Verb: "cas", Key: path(key), Value: value, Index: index}}})
	if err != nil {
		return "", fmt.Errorf("consulstore: %w", err)
	}
	r, err := s.send(ctx, http.MethodPut, "/v1/txn", body)
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK && r.StatusCode != http.StatusConflict {
		return "", failed(r)
	}
	var result struct {
		Results []operation
		Errors  []struct{ What string }
	}
	if err := json.NewDecoder(r.Body).Decode(&result); err != nil {
		return "", fmt.Errorf("consulstore: %w", err)
	}
	_, _ = io.Copy(io.Discard, r.Body)
	switch {
	case len(result.Errors) > 0 && strings.HasSuffix(result.Errors[0].What, "index is stale"):
		return "", fmt.Errorf("consulstore: %w: %s", store.ErrConflict, result.Errors[0].What)
	case len(result.Errors) > 0: // such as a permission that is missing
		return "", fmt.Errorf("consulstore: %s", result.Errors[0].What)
	case len(result.Results) != 1 || result.Results[0].KV.ModifyIndex == 0:
		return "", fmt.Errorf("consulstore: the answer has %d results, want one with an index", len(result.Results))
	}
	return strconv.FormatUint(result.Results[0].KV.ModifyIndex, 10), nil
}

// Watch yields an Event whenever a blocking query returns.
func (s *Store) Watch(ctx context.Context, key string) iter.Seq[store.Event] {
	return func(yield func(store.Event) bool) {
		for last := "0"; ; {
			value, revision, index, err := s.get(ctx, key, url.Values{"index": {last}, "wait": {"55s"}})
			if err != nil && !errors.Is(err, store.ErrAbsent) {
				return
			}
			if index != last && !yield(store.Event{Value: value, Revision: revision}) {
				return
			}
			before, _ := strconv.ParseUint(last, 10, 64)
			now, err := strconv.ParseUint(index, 10, 64)
			if last = index; err != nil || now < before { // as after a restored backup
				last = "0"
			}
		}
	}
}

func (s *Store) send(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.server+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("consulstore: %w", err)
	}
	if s.token != "" {
		request.Header.Set("X-Consul-Token", s.token)
	}
	r, err := s.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("consulstore: %w", err)
	}
	return r, nil
}

func failed(r *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(r.Body, 1000))
	return fmt.Errorf("consulstore: %s %s: %s %s", r.Request.Method, r.Request.URL.Path, r.Status, bytes.TrimSpace(text))
}

func keyPath(key string) string { return (&url.URL{Path: "/v1/kv/" + path(key)}).EscapedPath() }

// path returns the key in Consul: the key itself unless servers would change it as a path.
func path(key string) string {
	changed := func(part string) bool { return part == "" || part == "." || part == ".." }
	if utf8.ValidString(key) && !strings.HasPrefix(key, "=") && !slices.ContainsFunc(strings.Split(key, "/"), changed) {
		return key
	}
	return "=" + base64.RawURLEncoding.EncodeToString([]byte(key))
}
