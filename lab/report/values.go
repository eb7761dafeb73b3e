package report

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/go-election/election/lab/scenario"
	"github.com/go-election/election/observe"
)

// Number is an integer of 64 bits. An integer that not every reader of JSON keeps exact is a string.
type Number uint64

// MarshalJSON writes it.
func (n Number) MarshalJSON() ([]byte, error) {
	text := strconv.FormatUint(uint64(n), 10)
	// As a text: readers that keep numbers as float64 would round it.
	if n > 1<<53 {
		text = `"` + text + `"`
	}
	return []byte(text), nil
}

// Units is a time in units, exact.
type Units time.Duration

// String returns the Number of units, exactly.
func (u Units) String() string { return scenario.InUnits(time.Duration(u)) }

// MarshalJSON writes the Number of units.
func (u Units) MarshalJSON() ([]byte, error) { return []byte(u.String()), nil }

// Hash is written in 16 hexadecimal digits.
type Hash uint64

// String returns the digits.
func (h Hash) String() string { return fmt.Sprintf("%016x", uint64(h)) }

// MarshalJSON writes the digits as text.
func (h Hash) MarshalJSON() ([]byte, error) { return json.Marshal(h.String()) }

// ByKind is an object whose members are in the order of the algorithm.
type ByKind []observe.KindCount

// MarshalJSON writes the object.
func (b ByKind) MarshalJSON() ([]byte, error) {
	text := []byte{'{'}
	for i, k := range b {
		if i > 0 {
			text = append(text, ',')
		}
		name, err := json.Marshal(k.Kind)
		if err != nil {
			return nil, err
		}
		text = append(append(text, name...), ':')
		text = strconv.AppendUint(text, k.Count, 10)
	}
	return append(text, '}'), nil
}

// Entry is an entry into a critical section: when, and of which process.
type Entry struct {
	At Units
	ID Number
}

// MarshalJSON writes both as an array.
func (e Entry) MarshalJSON() ([]byte, error) { return json.Marshal([2]any{e.At, e.ID}) }
