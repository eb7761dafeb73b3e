// Package turns orders the members of a group in which they claim the lead.
package turns

import (
	"crypto/sha256"
	"encoding/binary"
	"io"
)

// Priority returns the priority of a member's turn in a group: of candidates that are equal otherwise, the
// largest claims first. It is the first 64 bits of SHA-256 over the length of the group's name in 8 bytes,
// that name, and the member's. Each group has an order of its own, so that many groups of the same members
// do not all prefer one member. The members of a group must agree on the order: do not change the hash.
func Priority(group, member string) uint64 {
	h := sha256.New()
	var size [8]byte
	binary.BigEndian.PutUint64(size[:], uint64(len(group)))
	h.Write(size[:])
	_, _ = io.WriteString(h, group) // a hash never fails
	_, _ = io.WriteString(h, member)
	return binary.BigEndian.Uint64(h.Sum(nil))
}
