// Package prose writes numbers and lists for people, the same wherever reports and figures show them.
package prose

import (
	"strconv"
	"strings"
)

// Grouped writes a number in groups of three digits.
func Grouped(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Term writes the number of an election. Terms of leases have fifteen digits; it writes the last six, which tell the
// Terms of a group apart.
func Term(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	if len(digits) > 9 {
		return "…" + digits[len(digits)-6:]
	}
	return digits
}

// Plural writes a number of things, whose plural ends in s, in es after s, or in ies after a consonant and y.
func Plural(n int, name string) string {
	stem, y := strings.CutSuffix(name, "y")
	switch {
	case n == 1:
		return "1 " + name
	case y && !strings.ContainsAny(stem[max(len(stem)-1, 0):], "aeiou"):
		name = stem + "ies"
	case strings.HasSuffix(name, "s"):
		name += "es"
	default:
		name += "s"
	}
	return Grouped(uint64(n)) + " " + name
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
