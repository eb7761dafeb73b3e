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

// InUnits returns a time in units, exactly.
func InUnits(t time.Duration) string {
	sign, whole, part := "", t/Unit, t%Unit
	if t < 0 {
		sign, whole, part = "-", -whole, -part
	}
	text := sign + strconv.FormatInt(int64(whole), 10)
	if part == 0 {
		return text
	}
	digits := strconv.Itoa(int(Unit + part))[1:]
	return text + "." + strings.TrimRight(digits, "0")
}
