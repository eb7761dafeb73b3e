package tcp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/go-election/election"
	"github.com/go-election/election/input"
)

// errHello: the other end is no member, or one of another version.
var errHello = input.Sentinel("election", "not a hello")

// protocol is what a connection begins with, and what TLS negotiates.
const protocol = "election/1"

// NoMemberError refuses a peer that is not in a list of members. It may become one: this list, or the list
// of the peer, may be older than the other. [Group.Unlisted] of that peer reports it.
type NoMemberError struct{ Name string }

func (e *NoMemberError) Error() string { return "process " + e.Name + " is no member" }

// isStranger reports whether an error is a NoMemberError.
func isStranger(err error) bool {
	_, ok := errors.AsType[*NoMemberError](err)
	return ok
}

// refusedError is what a peer answers that refuses this process.
func refusedError(reason string, stranger bool, self string) error {
	if stranger {
		return &NoMemberError{self}
	}
	return errors.New(reason)
}

// hello is the first thing that either end says. The side that has dialled says it first, and nothing more
// until the other end has answered.
type hello struct {
	from, to    election.ID
	incarnation uint64
	refused     string // by an answer: why; empty if it is accepted
	stranger    bool   // by such an answer: since the dialler is no member
}

// append codes the protocol, a length and the fields.
func (h *hello) append(b []byte) []byte {
	b = append(b, protocol...)
	at := len(b)
	b = append(b, 0, 0)
	for _, v := range [...]uint64{uint64(h.from), uint64(h.to), h.incarnation} {
		b = binary.AppendUvarint(b, v)
	}
	b = appendReason(b, []byte(h.refused), h.stranger)
	binary.BigEndian.PutUint16(b[at:], uint16(len(b)-at-2))
	return b
}

// readHello reads no more than the hello.
func readHello(from io.Reader) (h hello, err error) {
	var head [len(protocol) + 2]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return h, fmt.Errorf("%w: %w", errHello, early(err))
	}
	if text := head[:len(protocol)]; string(text) != protocol {
		return h, fmt.Errorf("%w: it begins with %q instead of %q", errHello, text, protocol)
	}
	n := binary.BigEndian.Uint16(head[len(protocol):])
	if n > maxReason+64 {
		return h, fmt.Errorf("%w: %d bytes, at most %d", errHello, n, maxReason+64)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(from, b); err != nil {
		return h, fmt.Errorf("%w: %w", errHello, early(err))
	}
	r := reader{b: b}
	h = hello{from: election.ID(r.number()), to: election.ID(r.number()), incarnation: r.number()}
	reason, stranger := r.reason()
	h.refused, h.stranger = string(reason), stranger
	if r.err == nil && (r.short || r.at != len(b)) {
		r.fail("%d bytes are too few or too many", len(b))
	}
	if r.err != nil {
		return hello{}, fmt.Errorf("%w: %w", errHello, r.err)
	}
	return h, nil
}

// early names the end of a connection.
func early(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the connection was closed")
	}
	return err
}
