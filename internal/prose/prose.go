// Package prose writes numbers and lists for people, the same wherever reports and figures show them.
package prose

import (
	"strconv"
	"strings"
	"time"
)

// Grouped writes a number in groups of three digits.
func Grouped(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Plural writes a number of things, whose plural ends in s, or in ies after a consonant and y.
func Plural(n int, name string) string {
	if n == 1 {
		return "1 " + name
	}
	if stem, ok := strings.CutSuffix(name, "y"); ok &&
		!strings.ContainsAny(stem[max(len(stem)-1, 0):], "aeiou") {
		name = stem + "ie"
	}
	return Grouped(uint64(n)) + " " + name + "s"
}

// Processes writes a number of processes.
func Processes(n int) string {
	if n == 1 {
		return "1 process"
	}
	return Grouped(uint64(n)) + " processes"
}

// Approximate writes a count that may be a mean: exactly, to one decimal, or in four digits.
func Approximate(count float64) string {
	// Below 2^53 every whole number is exact in a float64.
	if count < 1<<53 && count == float64(uint64(count)) {
		return Grouped(uint64(count))
	}
	if count >= 1<<53 {
		return strconv.FormatFloat(count, 'g', 4, 64)
	}
	whole, rest, _ := strings.Cut(strconv.FormatFloat(count, 'f', 1, 64), ".")
	n, _ := strconv.ParseUint(whole, 10, 64)
	return Grouped(n) + "." + rest
}

// Rounded returns a number with this number of decimals.
func Rounded(n float64, decimals int) float64 {
	// By way of the text: multiplying by a power of ten and rounding gives other last digits for some
	// numbers.
	n, _ = strconv.ParseFloat(strconv.FormatFloat(n, 'f', decimals, 64), 64)
	return n
}

// Duration writes how long something took, in three digits: 1.15 ms.
func Duration(d time.Duration) string {
	unit, name := time.Second, "s"
	for _, u := range []struct {
		time.Duration
		name string
	}{{time.Millisecond, "ms"}, {time.Microsecond, "µs"}, {time.Nanosecond, "ns"}} {
		if d < unit {
			unit, name = u.Duration, u.name
		}
	}
	count := float64(d) / float64(unit)
	decimals := 2
	for limit := 9.995; count >= limit && decimals > 0; limit *= 10 {
		decimals--
	}
	return strconv.FormatFloat(Rounded(count, decimals), 'f', -1, 64) + " " + name
}

// Wrapped breaks text into lines of at most width letters, each of which begins with the indent.
func Wrapped(text, indent string, width int) string {
	var b strings.Builder
	line := indent
	for word := range strings.FieldsSeq(text) {
		if line != indent {
			if letters(line)+1+letters(word) > width {
				b.WriteString(line + "\n")
				line = indent
			} else {
				line += " "
			}
		}
		line += word
	}
	return b.String() + line + "\n"
}
