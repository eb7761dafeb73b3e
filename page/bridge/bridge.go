// Package bridge connects a page in a browser to the library: it runs elections and returns them as films,
// inspects a run at any step, checks it, and reads and writes its files. Arguments and replies are JSON. A
// film, which is large, is returned as bytes next to it. The package does not depend on a browser, so its
// tests need none.
//
//	var b bridge.Bridge
//	reply, err := b.Call(ctx, "film", []byte(`{"scenario": {"algorithm": "lcr", "ids": [2, 3, 1]}}`), nil)
package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/prose"
)

// Reply is what a call returns.
type Reply struct {
	JSON []byte // an object, a list or null
	Data []byte // a film; nil for most calls
}

// Bridge answers the calls of one page. It keeps the last run, so that another step of it can be inspected
// without running it from the beginning. The zero value is ready for use. Calls may be concurrent, and are
// answered one by one.
type Bridge struct {
	mu       sync.Mutex
	runs     []*run   // the last ones, the newest first
	recorded *run     // the trace that was read last
	graphs   *graphed // the last one

	network   string       // of the last film
	positions [][2]float64 // in it
}

// call answers one call. args has been checked to be JSON.
type call func(b *Bridge, ctx context.Context, args json.RawMessage, progress func(any)) (Reply, error)

// calls contains all calls of the page, by name.
var calls = map[string]call{
	"broken":     (*Bridge).broken,
	"catalog":    (*Bridge).catalog,
	"challenges": (*Bridge).challenges,
	"check":      (*Bridge).check,
	"diff":       (*Bridge).diff,
	"do":         (*Bridge).do,
	"export":     (*Bridge).export,
	"fields":     (*Bridge).fields,
	"film":       (*Bridge).film,
	"graph":      (*Bridge).graph,
	"judge":      (*Bridge).judge,
	"lines":      (*Bridge).lines,
	"path":       (*Bridge).path,
	"pending":    (*Bridge).pending,
	"read":       (*Bridge).read,
	"scenario":   (*Bridge).scenario,
	"service":    (*Bridge).service,
	"shrink":     (*Bridge).shrink,
	"theory":     (*Bridge).theory,
	"words":      (*Bridge).words,
}

// Names returns the names of the calls.
func Names() []string { return slices.Sorted(maps.Keys(calls)) }

// Call answers a call. An error has one line. progress, if not nil, is given what is known before the end.
func (b *Bridge) Call(ctx context.Context, name string, args []byte, progress func(any)) (reply Reply,
	err error) {
	do, ok := calls[name]
	if !ok {
		return Reply{}, input.Errorf("call: %.40q is not one of %s", name, strings.Join(Names(), ", "))
	}
	if progress == nil {
		progress = func(any) {}
	}
	if len(bytes.TrimSpace(args)) == 0 {
		args = []byte("{}")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	reply, err = do(b, ctx, args, progress)
	if err != nil {
		return Reply{}, oneLine(err)
	}
	return reply, nil
}

// oneLine keeps an error on one line, and its words short: a panic of a Node may have several, and an input
// that is quoted any length.
func oneLine(err error) error {
	return &flat{err, prose.Short(strings.Join(strings.Fields(err.Error()), " "))}
}

// flat is an error whose text is on one line.
type flat struct {
	error
	text string
}

func (f *flat) Error() string { return f.text }
func (f *flat) Unwrap() error { return f.error }

// read reads the arguments of a call into a struct. A field that the struct does not have is an error.
func read(args json.RawMessage, v any) error {
	d := json.NewDecoder(bytes.NewReader(args))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return input.Errorf("arguments: the text ends too early")
		}
		if unfit, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			where := strings.TrimSuffix("arguments."+strings.TrimPrefix(unfit.Field, "."), ".")
			return input.Errorf("%s: %.60s is not what is wanted here", where, unfit.Value)
		}
		return input.At("arguments", input.Errorf("%s", strings.TrimPrefix(input.Reason(err), "json: ")))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return input.Errorf("arguments: something stands behind the object")
	}
	return nil
}

// written returns a reply without data.
func written(v any) (Reply, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return Reply{}, err
	}
	return Reply{JSON: bytes.TrimRight(b.Bytes(), "\n")}, nil
}
