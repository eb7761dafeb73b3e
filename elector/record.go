package elector

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/go-election/election"
	"github.com/go-election/election/lease"
	"github.com/go-election/election/lease/storelease"
)

// record is what a Store contains, as JSON, so that a person can read it with the tools of the store.
type record struct {
	Version     int    `json:"v"`
	Term        uint64 `json:"term"`
	Owner       string `json:"owner"`             // empty if the lease was released
	Address     string `json:"address,omitempty"` // Config.Advertise of the owner
	Incarnation string `json:"incarnation"`       // of the last owner, in hexadecimal
	Lease       string `json:"lease"`
	Next        string `json:"next"` // who may take a released lease without waiting; empty: anyone
	Beat        uint64 `json:"beat"` // grows with each write, so no value occurs twice
}

// recordVersion is the version of records that this package writes and reads.
const recordVersion = 1

// mostBeat is the largest Beat. No group writes so often.
const mostBeat = 1 << 63

func (r *record) bytes() []byte {
	b, err := json.Marshal(r)
	if err != nil {
		panic(err) // strings and numbers can be marshaled
	}
	return b
}

// refusedRecord is why a value in the store is refused.
type refusedRecord struct{ reason string }

func (r *refusedRecord) Error() string { return r.reason }

func refuseRecord(format string, args ...any) error {
	return &refusedRecord{fmt.Sprintf(format, args...)}
}

// parseRecord is the inverse of bytes. It refuses every value that a member of this version would not write.
func parseRecord(value []byte) (r record, err error) {
	var version struct {
		Version *int `json:"v"`
	}
	switch err := json.Unmarshal(value, &version); {
	case err != nil || version.Version == nil || *version.Version < recordVersion:
		return r, refuseRecord("something else uses the key: the value %.60q is not the record of a lease", value)
	case *version.Version > recordVersion:
		return r, refuseRecord("a newer version of this library uses the key: the record has version %d, and this one "+
			"reads version %d", *version.Version, recordVersion)
	}
	if err := json.Unmarshal(value, &r); err != nil {
		return r, refuseRecord("the record is damaged: %v", err)
	}
	length, err := time.ParseDuration(r.Lease)
	_, odd := strconv.ParseUint(r.Incarnation, 16, 64)
	switch {
	case r.Term == 0 || r.Term > lease.MostToken:
		return r, refuseRecord("the record is damaged: the term %d is not between 1 and %d", r.Term, uint64(lease.MostToken))
	case r.Beat > mostBeat:
		return r, refuseRecord("the record is damaged: the beat %d is larger than %d", r.Beat, uint64(mostBeat))
	case err != nil || length < 0 || length > longestLease:
		return r, refuseRecord("the record is damaged: the lease %.60q is not between 0 and %v", r.Lease, longestLease)
	case odd != nil:
		return r, refuseRecord("the record is damaged: the incarnation %.60q is not a number", r.Incarnation)
	case r.Owner != "" && !isName(r.Owner):
		return r, refuseRecord("the record is damaged: the owner %.60q is not a name", r.Owner)
	case !isAddress(r.Address):
		return r, refuseRecord("the record is damaged: %.60q is not an address", r.Address)
	case r.Next != "" && !isName(r.Next):
		return r, refuseRecord("the record is damaged: next, %.60q, is not a name", r.Next)
	}
	return r, nil
}

// message returns a record that parseRecord has returned in the form of messages.
func (r *record) message() storelease.Record {
	m := storelease.Record{Term: r.Term}
	m.Incarnation, _ = strconv.ParseUint(r.Incarnation, 16, 64)
	m.Lease, _ = time.ParseDuration(r.Lease)
	if r.Owner != "" {
		m.Owner = ID(r.Owner)
	} else if r.Next != "" {
		m.Next = ID(r.Next)
	}
	return m
}

// recordOf is the inverse of message. It sets no Beat.
func recordOf(m storelease.Record, name func(election.ID) string) record {
	r := record{Version: recordVersion, Term: m.Term, Incarnation: fmt.Sprintf("%016x", m.Incarnation),
		Lease: m.Lease.String()}
	switch {
	case m.Owner != 0:
		r.Owner = name(m.Owner)
	case m.Next != 0:
		r.Next = name(m.Next)
	}
	return r
}
