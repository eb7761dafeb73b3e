package scenario

import (
	"strconv"
	"strings"
	"time"
)

// maxShown is how many characters of a value an error shows.
const maxShown = 40

// cut returns the beginning of a long value.
func cut(s string) string {
	n := 0
	for i := range s {
		if n == maxShown {
			return s[:i] + "..."
		}
		n++
	}
	return s
}

// quote returns s as errors show it: in quotes, on one line, its beginning if it is long.
func quote(s string) string { return strconv.Quote(cut(s)) }

// member returns the part of a path that leads to a field: .name, or ["na me"] for a name that is
// not just of letters.
func member(name string) string {
	plain := strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-") == ""
	if name == "" || len(name) > maxShown || !plain {
		return "[" + quote(name) + "]"
	}
	return "." + name
}

// InUnits returns a time in units, as short as it is exact.
func InUnits(t time.Duration) string { return string(appendUnits(nil, t)) }

func appendUnits(b []byte, t time.Duration) []byte {
	if t < 0 {
		b = append(b, '-')
	}
	whole, part := t/Unit, t%Unit
	if t < 0 {
		whole, part = -whole, -part
	}
	b = strconv.AppendInt(b, int64(whole), 10)
	if part == 0 {
		return b
	}
	digits := strconv.Itoa(int(Unit + part))[1:]
	for digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	b = append(b, '.')
	return append(b, digits...)
}
