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

// versions is a range of versions of the protocol. A hello begins with the name of the oldest one, election/3 for
// instance, and contains the newest one if it is another. Two processes use the newest version that both speak. TLS
// negotiates it, too.
//
// Version 3 is the first one with this hello, so later versions keep its format, and add fields at its end: a process
// ignores those that it does not know.
type versions struct{ oldest, newest uint64 }

// spoken are the versions of this process. When a version changes frames, it adds itself here, and a connection uses
// what versions.common returns; the version before the last one is removed.
var spoken = versions{3, 3}

const (
	// anyProtocol begins the name of every version, and a digit follows.
	anyProtocol  = "election/"
	firstVersion = 3
)

// name returns the name of a version.
func name(version uint64) string { return fmt.Sprint(anyProtocol, version) }

func (v versions) String() string {
	if v.newest <= v.oldest {
		return name(v.oldest)
	}
	return fmt.Sprintf("%s to %d", name(v.oldest), v.newest)
}

// names returns the names of all versions, the newest first, for TLS.
func (v versions) names() (all []string) {
	for version := v.newest; version >= v.oldest; version-- {
		all = append(all, name(version))
	}
	return all
}

// common returns the newest version that both speak, or an error that names the versions of both.
func (v versions) common(theirs versions) (uint64, error) {
	if common := min(v.newest, theirs.newest); common >= max(v.oldest, theirs.oldest) {
		return common, nil
	}
	return 0, &versionError{v, theirs}
}

// versionError reports that the peer speaks other versions only.
type versionError struct{ own, theirs versions }

func (e *versionError) Error() string {
	return fmt.Sprintf("%v: the peer speaks %v, and this process %v, so the peer is of another version", errHello, e.theirs,
		e.own)
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
	versions    versions
}

// append appends the oldest version, a length and the fields.
func (h *hello) append(b []byte) []byte {
	b = append(b, name(h.versions.oldest)...)
	at := len(b)
	b = append(b, 0, 0)
	for _, v := range [...]uint64{uint64(h.from), uint64(h.to), h.incarnation, h.serial, h.last, h.renews} {
		b = binary.AppendUvarint(b, v)
	}
	if b = h.answer.append(appendText(b, h.name)); h.versions.newest > h.versions.oldest {
		b = binary.AppendUvarint(b, h.versions.newest)
	}
	binary.BigEndian.PutUint16(b[at:], uint16(len(b)-at-2))
	return b
}

// readHello reads a hello, and nothing behind it. It fails if the peer speaks none of the versions own.
func readHello(from io.Reader, own versions) (h hello, err error) {
	var head [len(anyProtocol) + 3]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		if err = early(err); !errors.Is(err, os.ErrDeadlineExceeded) { // it may be a reset, too
			err = fmt.Errorf("%w: the peer may be of another version than %s", err, own)
		}
		return h, fmt.Errorf("%w: %w", errHello, err)
	}
	digit := head[len(anyProtocol)]
	if !bytes.HasPrefix(head[:], []byte(anyProtocol)) || digit < '1' || digit > '9' {
		return h, fmt.Errorf("%w: it begins with %q instead of %q", errHello, head[:len(anyProtocol)+1], name(own.oldest))
	}
	h.versions.oldest = uint64(digit - '0')
	if h.versions.newest = h.versions.oldest; h.versions.oldest < firstVersion || h.versions.oldest > own.newest {
		return h, &versionError{own, h.versions}
	}
	n, most := binary.BigEndian.Uint16(head[len(anyProtocol)+1:]), uint16(maxReason+MaxName+80)
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
		answer: r.answer(), versions: h.versions}
	if h.renews > 1 {
		r.fail("renews is %d", h.renews)
	}
	if r.whole() && r.at < len(b) {
		h.versions.newest = r.number()
	}
	if r.err == nil && r.short {
		r.fail("%d bytes are too few", len(b))
	}
	if r.err != nil {
		return hello{}, fmt.Errorf("%w: %w", errHello, r.err)
	}
	_, err = own.common(h.versions)
	return h, err
}

// early returns a clearer error for the end of a connection.
func early(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errEarly
	}
	return err
}
