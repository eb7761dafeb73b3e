package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// setup is what all results of a table have in common.
type setup struct {
	Commit   string        `json:"commit"` // with a + if files differ from it
	Lease    time.Duration `json:"lease"`
	Trials   int           `json:"trials"`
	Parallel int           `json:"parallel"`
}

// setupOf returns the setup of these options.
func setupOf(o *options) setup {
	return setup{Commit: commit(), Lease: o.lease, Trials: o.trials, Parallel: o.parallel}
}

// commit returns the commit of the working directory; empty if there is none.
func commit() string {
	head, err := exec.Command("git", "rev-parse", "--short=12", "HEAD").Output()
	if err != nil {
		return ""
	}
	name := strings.TrimSpace(string(head))
	if changes, err := exec.Command("git", "status", "--porcelain").Output(); err != nil || len(changes) > 0 {
		name += "+"
	}
	return name
}

// record is a file of results, with which an interrupted run continues. The first line is the setup, each other line
// a cell. Cells that failed are recorded, too: they are not tried until they pass.
type record struct {
	mu   sync.Mutex
	file *os.File
	kept map[string]keptResult
}

// keptResult is a result in a record.
type keptResult struct {
	Cell     string    `json:"cell"`
	Outcomes []outcome `json:"outcomes"`
	Accepted int       `json:"accepted"`
	Refused  int       `json:"refused"`
	Error    string    `json:"error,omitempty"`
}

// openRecord opens a file of results, or creates one. Without a path, nothing is recorded.
func openRecord(path string, own setup) (*record, error) {
	r := &record{kept: make(map[string]keptResult)}
	if path == "" {
		return r, nil
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	r.file = file
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	if !lines.Scan() {
		return r, errors.Join(lines.Err(), json.NewEncoder(file).Encode(own))
	}
	var theirs setup
	if err := json.Unmarshal(lines.Bytes(), &theirs); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: line 1: %w", path, err), file.Close())
	}
	if theirs != own {
		return nil, errors.Join(fmt.Errorf("%s: its results are of %+v, this run is %+v", path, theirs, own),
			file.Close())
	}
	for n := 2; lines.Scan(); n++ {
		var k keptResult
		if err := json.Unmarshal(lines.Bytes(), &k); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: line %d: %w", path, n, err), file.Close())
		}
		r.kept[k.Cell] = k
	}
	return r, lines.Err()
}

// close closes the file.
func (r *record) close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// of returns the recorded result of a cell, nil if there is none.
func (r *record) of(c *cell) *result {
	k, ok := r.kept[c.String()]
	if !ok {
		return nil
	}
	kept := &result{cell: c, outcomes: k.Outcomes, accepted: k.Accepted, refused: k.Refused}
	if k.Error != "" {
		kept.err = errors.New(k.Error)
	}
	return kept
}

// add records a result.
func (r *record) add(done *result) error {
	if r.file == nil {
		return nil
	}
	k := keptResult{Cell: done.String(), Outcomes: done.outcomes, Accepted: done.accepted,
		Refused: done.refused}
	if done.err != nil {
		k.Error = done.err.Error()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return json.NewEncoder(r.file).Encode(k)
}
