package forward

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

var errStale = errors.New("forward: this attempt has ended")

// body is the body of a request, which can be read again as long as its first bytes are all that was read.
type body struct {
	source io.ReadCloser
	max    int // bytes that are kept

	mu    sync.Mutex // held while source is read
	kept  []byte
	err   error   // of source, after kept
	owner *reader // has read more than was kept; nil if nobody has

	spilled atomic.Bool // owner is not nil
	broken  atomic.Bool // err is not io.EOF
}

// open returns a reader of the whole body, for one attempt. It is nil if there is no body.
func (b *body) open() *reader {
	if b.source == nil {
		return nil
	}
	return &reader{body: b}
}

// reader reads a body from its beginning. The transport of an attempt that has failed may still read from it, while the
// next attempt does: what both need is kept.
type reader struct {
	*body
	at     int
	closed atomic.Bool
	last   atomic.Bool // no other attempt follows
}

func (r *reader) Read(p []byte) (n int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed.Load() || r.owner != nil && r.owner != r:
		return 0, errStale
	case r.at < len(r.kept):
		n = copy(p, r.kept[r.at:])
		r.at += n
		return n, nil
	case r.err != nil:
		return 0, r.err
	}
	room := r.max - len(r.kept)
	if room > 0 {
		p = p[:min(len(p), room)]
	}
	if n, r.err = r.source.Read(p); r.err != nil && !errors.Is(r.err, io.EOF) {
		r.broken.Store(true)
	}
	switch {
	case room > 0 || r.closed.Load(): // if the attempt has failed meanwhile, the next one needs it
		r.kept = append(r.kept, p[:n]...)
		r.at += n
	case n > 0:
		r.owner = r
		r.spilled.Store(true)
	}
	if n > 0 {
		return n, nil
	}
	return n, r.err
}

// Close ends the attempt. It does not wait for a Read in progress.
func (r *reader) Close() error {
	r.closed.Store(true)
	r.end()
	return nil
}

// keep makes the attempt the last one.
func (r *reader) keep() {
	r.last.Store(true)
	r.end()
}

// end ends a Read in progress if no attempt needs the rest: HTTP/2 ends no response before. HTTP/1 waits for the Read.
func (r *reader) end() {
	if r.last.Load() && r.closed.Load() {
		go r.source.Close()
	}
}
