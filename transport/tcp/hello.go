package tcp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
)

// errHello reports that the other end is not a member, or runs another version.
var errHello = input.Sentinel("election", "not a hello")

// protocol begins every connection, and TLS negotiates it.
const protocol = "election/3"

// anyProtocol begins the protocol of every version.
const anyProtocol = "election/"

// versionError reports that the peer speaks another version.
type versionError struct{ theirs string }

func (e *versionError) Error() string {
	return fmt.Sprintf("%v: it begins with %q instead of %q, so the peer is of another version", errHello, e.theirs,
		protocol)
}

func (e *versionError) Unwrap() error { return errHello }

// errBusy refuses a connection because the peer learns at the same time that another one is in use. Nobody logs it.
var errBusy = errors.New("another connection is in use")

// errEarly reports that the peer has closed the connection before it has said hello, as a process does that has got
// another connection meanwhile.
var errEarly = errors.New("the connection was closed")

// The verdicts of an answer.
const (
	accepted = iota
	refused
	busy // refused by errBusy
)

// answer accepts or refuses the hello of a peer, or a group that it has announced.
type answer struct {
	verdict uint64
	reason  string // the text of the error
}

func answerTo(err error) answer {
	switch {
	case err == nil:
		return answer{}
	case err == errBusy:
		return answer{verdict: busy}
	}
	return answer{refused, err.Error()}
}

// err returns the error that the answer reports, or nil.
func (a *answer) err() error {
	switch a.verdict {
	case accepted:
		return nil
	case busy:
		return errBusy
	}
	return errors.New(a.reason)
}

func (a *answer) append(b []byte) []byte {
	return appendText(binary.AppendUvarint(b, a.verdict), a.reason[:min(len(a.reason), maxReason)])
}

func (r *reader) answer() (a answer) {
	if a.verdict = r.number(); a.verdict > busy {
		r.fail("verdict %d", a.verdict)
	}
	a.reason = string(r.text(maxReason))
	return a
}

// hello is the first thing that either end sends. The side that has dialled sends it first, and then waits for the
// answer.
type hello struct {
	from, to    election.ID
	name        string // of the sender
	incarnation uint64
	serial      uint64 // of this connection, at the sender
	last        uint64 // the receiver's serial of the last connection that the sender has used
	renews      uint64 // 1 if the connection in use continues on this one
	answer      answer // accepted, if the sender has dialled
}

// append appends the protocol, a length and the fields.
func (h *hello) append(b []byte) []byte {
	b = append(b, protocol...)
	at := len(b)
	b = append(b, 0, 0)
	for _, v := range [...]uint64{uint64(h.from), uint64(h.to), h.incarnation, h.serial, h.last, h.renews} {
		b = binary.AppendUvarint(b, v)
	}
	b = h.answer.append(appendText(b, h.name))
	binary.BigEndian.PutUint16(b[at:], uint16(len(b)-at-2))
	return b
}

// readHello reads a hello, and nothing behind it.
func readHello(from io.Reader) (h hello, err error) {
	var head [len(protocol) + 2]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		if err = early(err); !errors.Is(err, os.ErrDeadlineExceeded) { // it may be a reset, too
			err = fmt.Errorf("%w: the peer may be of another version than %s", err, protocol)
		}
		return h, fmt.Errorf("%w: %w", errHello, err)
	}
	if text := head[:len(protocol)]; string(text) != protocol {
		if bytes.HasPrefix(text, []byte(anyProtocol)) {
			return h, &versionError{string(text)}
		}
		return h, fmt.Errorf("%w: it begins with %q instead of %q", errHello, text, protocol)
	}
	n, most := binary.BigEndian.Uint16(head[len(protocol):]), uint16(maxReason+MaxName+80)
	if n > most {
		return h, fmt.Errorf("%w: %d bytes, at most %d", errHello, n, most)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(from, b); err != nil {
		return h, fmt.Errorf("%w: %w", errHello, early(err))
	}
	r := reader{b: b}
	h = hello{from: election.ID(r.number()), to: election.ID(r.number()), incarnation: r.number(),
		serial: r.number(), last: r.number(), renews: r.number(), name: string(r.text(MaxName)),
		answer: r.answer()}
	if h.renews > 1 {
		r.fail("renews is %d", h.renews)
	}
	if r.err == nil && (r.short || r.at != len(b)) {
		r.fail("%d bytes are too few or too many", len(b))
	}
	if r.err != nil {
		return hello{}, fmt.Errorf("%w: %w", errHello, r.err)
	}
	return h, nil
}

// early returns a clearer error for the end of a connection.
func early(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errEarly
	}
	return err
}
