// Package turns orders the members of a group in which they claim the lead.
package turns

import (
	"crypto/sha256"
	"encoding/binary"
)

// Priority returns the priority of a member's turn in a group: of candidates that are equal otherwise, the
// largest claims first. It is the first 64 bits of SHA-256 over the member's ID in 8 bytes and the name of the
// group. Each group has an order of its own, so that many groups of the same members do not all prefer one
// member. The members of a group must agree on the order: do not change the hash.
func Priority(group string, member uint64) uint64 {
	h := sha256.Sum256(append(binary.BigEndian.AppendUint64(nil, member), group...))
	return binary.BigEndian.Uint64(h[:])
}
