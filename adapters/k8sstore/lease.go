package k8sstore

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// object is a Lease of the API group coordination.k8s.io/v1. What this package does not know in the metadata is
// written back unchanged.
type object struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   map[string]any `json:"metadata"`
	Spec       spec           `json:"spec"`
}

type spec struct {
	HolderIdentity       *string    `json:"holderIdentity,omitempty"`
	LeaseDurationSeconds *int32     `json:"leaseDurationSeconds,omitempty"`
	AcquireTime          *microTime `json:"acquireTime,omitempty"`
	RenewTime            *microTime `json:"renewTime,omitempty"`
	LeaseTransitions     *int32     `json:"leaseTransitions,omitempty"`
}

// microTime is a time in the format that API servers write.
type microTime struct{ time.Time }

func (t microTime) MarshalText() ([]byte, error) {
	return []byte(t.UTC().Format("2006-01-02T15:04:05.000000Z07:00")), nil
}

func (t microTime) MarshalJSON() ([]byte, error) {
	text, err := t.MarshalText()
	return []byte(`"` + string(text) + `"`), err
}

// The annotations of a Lease.
const (
	annotationRecord = "go-election.github.io/record"        // the value
	annotationBase64 = "go-election.github.io/record-base64" // the value, if it is not text
	annotationSpec   = "go-election.github.io/spec"          // the spec that was written with it
)

func (o *object) text(field string) string {
	s, _ := o.Metadata[field].(string)
	return s
}

func (o *object) name() string { return o.text("name") }

// revision returns the uid and the resourceVersion. Versions alone may come again after a backup is restored.
func (o *object) revision() string { return o.text("uid") + "/" + o.text("resourceVersion") }

func (o *object) annotation(key string) (string, bool) {
	all, _ := o.Metadata["annotations"].(map[string]any)
	s, ok := all[key].(string)
	return s, ok
}

// record is the part of a value that a Lease shows.
type record struct {
	V           int    `json:"v"`
	Term        uint64 `json:"term"`
	Owner       string `json:"owner"`
	Incarnation string `json:"incarnation"`
	Lease       string `json:"lease"`
	Next        string `json:"next"`
	Beat        uint64 `json:"beat"`
}

// parse returns the record of a value. Values that are no records can be stored too.
func parse(value []byte) (r record, ok bool) {
	ok = json.Unmarshal(value, &r) == nil && r.V > 0
	return r, ok
}

// holder returns the identity under which the owner holds the Lease; empty if it is released.
func (r *record) holder() string {
	if r.Owner == "" {
		return ""
	}
	return r.Owner + "_" + r.Incarnation
}

// seconds returns for how long candidates of client-go must not see a change before they take the Lease. One second is
// for renewals in the same second, which they cannot tell apart.
func (r *record) seconds() int32 {
	lease, _ := time.ParseDuration(r.Lease)
	return int32(min(math.Ceil(lease.Seconds()*1.01)+1, math.MaxInt32))
}

// with returns the Lease that replaces another one.
func (o *object) with(value []byte, now time.Time) (*object, error) {
	next := &object{APIVersion: "coordination.k8s.io/v1", Kind: "Lease", Metadata: maps.Clone(o.Metadata)}
	next.Spec.RenewTime = &microTime{now}
	if r, ok := parse(value); ok {
		next.Spec = o.Spec.next(&r, now)
	}
	text, err := json.Marshal(next.Spec)
	if err != nil {
		return nil, fmt.Errorf("k8sstore: %w", err)
	}
	annotations := map[string]any{}
	if all, ok := o.Metadata["annotations"].(map[string]any); ok {
		annotations = maps.Clone(all)
	}
	delete(annotations, annotationRecord)
	delete(annotations, annotationBase64)
	annotations[annotationSpec] = string(text)
	if utf8.Valid(value) {
		annotations[annotationRecord] = string(value)
	} else {
		annotations[annotationBase64] = base64.StdEncoding.EncodeToString(value)
	}
	next.Metadata["annotations"] = annotations
	return next, nil
}

// next returns the spec that follows this one when r is written.
func (s *spec) next(r *record, now time.Time) spec {
	holder, seconds, transitions := r.holder(), r.seconds(), int32(0)
	next := spec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds, AcquireTime: &microTime{now},
		RenewTime: &microTime{now}, LeaseTransitions: &transitions}
	if s.LeaseTransitions != nil {
		transitions = *s.LeaseTransitions
	}
	switch {
	case holder == "": // released, as client-go does it
		seconds = 1
	case s.HolderIdentity == nil:
	case *s.HolderIdentity != holder:
		transitions++
	case s.AcquireTime != nil:
		next.AcquireTime = s.AcquireTime
	}
	return next
}

// value returns the value that a Lease contains.
func (o *object) value() ([]byte, error) {
	var written spec
	text, _ := o.annotation(annotationSpec)
	mine := json.Unmarshal([]byte(text), &written) == nil && written.equal(&o.Spec)
	if text, ok := o.annotation(annotationRecord); ok && mine {
		return []byte(text), nil
	}
	if text, ok := o.annotation(annotationBase64); ok && mine {
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, fmt.Errorf("k8sstore: Lease %s: annotation %s: %w", o.name(), annotationBase64, err)
		}
		return b, nil
	}
	return json.Marshal(o.foreign(&written))
}

// foreign returns the record of a Lease that client-go has written. written is the spec before that, if the Lease had
// one of this package.
func (o *object) foreign(written *spec) record {
	last := record{Term: 1}
	if text, ok := o.annotation(annotationRecord); ok {
		if r, ok := parse([]byte(text)); ok {
			last = r
		}
	}
	s, before := o.Spec.plain(), written.plain()
	r := record{V: 1, Owner: s.holder, Incarnation: "0", Term: last.Term + uint64(max(s.transitions-before.transitions, 0)),
		Lease: (time.Duration(s.seconds+1) * time.Second).String()}
	if len(r.Owner) > 255 || strings.ContainsFunc(r.Owner, unicode.IsControl) { // no name to package elector
		r.Owner = fmt.Sprintf("holder-%x", sha256.Sum256([]byte(r.Owner)))
	}
	if r.Owner != "" {
		h := fnv.New64a()
		fmt.Fprint(h, s.holder, s.acquired)
		r.Incarnation = fmt.Sprintf("%016x", h.Sum64())
	}
	return r
}

// plain is a spec whose missing fields are zero.
type plain struct {
	holder               string
	seconds, transitions int64
	acquired, renewed    int64 // in microseconds
}

func (s *spec) plain() (p plain) {
	if s.HolderIdentity != nil {
		p.holder = *s.HolderIdentity
	}
	if s.LeaseDurationSeconds != nil {
		p.seconds = int64(*s.LeaseDurationSeconds)
	}
	if s.LeaseTransitions != nil {
		p.transitions = int64(*s.LeaseTransitions)
	}
	if s.AcquireTime != nil {
		p.acquired = s.AcquireTime.UnixMicro()
	}
	if s.RenewTime != nil {
		p.renewed = s.RenewTime.UnixMicro()
	}
	return p
}

func (s *spec) equal(t *spec) bool { return s.plain() == t.plain() }

// validName matches the names that objects of Kubernetes may have.
var validName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

var (
	hashed   = regexp.MustCompile(`(^|-)[0-9a-f]{40}$`)
	unusable = regexp.MustCompile(`[^a-z0-9]+`)
)

// name returns the name of the Lease of a key: the name of the group if Kubernetes accepts it. Otherwise the name
// contains a hash of the key, so that different keys have different names.
func name(key string) string {
	if group, ok := strings.CutPrefix(key, "election/"); ok && len(group) <= 253 && validName.MatchString(group) &&
		!hashed.MatchString(group) {
		return group
	}
	readable := unusable.ReplaceAllString(strings.ToLower(strings.TrimPrefix(key, "election/")), "-")
	readable = strings.Trim(readable[:min(len(readable), 200)], "-")
	sum := sha256.Sum256([]byte(key))
	return strings.TrimPrefix(fmt.Sprintf("%s-%x", readable, sum[:20]), "-")
}
