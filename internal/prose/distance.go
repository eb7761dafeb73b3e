package prose

import "strings"

// Distance returns how many bytes must be inserted, removed or replaced, or neighbours swapped,
// to make a into b.
func Distance(a, b string) int {
	var before, last []int // the rows of a[:i-2] and a[:i-1]
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replaced := last[j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			row[j] = min(replaced, last[j]+1, row[j-1]+1)
			// Two exchanged letters are one mistake of a typist, and not two.
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}

// Nearest returns the first name that begins with the word. Otherwise it returns the name at the smallest
// edit distance, if that is at most one in three letters and at most two; else nothing.
func Nearest(word string, names []string) (near string) {
	small := strings.ToLower(word)
	least := min(max(len(small)/3, 1), 2) + 1
	for _, name := range names {
		if len(small) > 1 && strings.HasPrefix(strings.ToLower(name), small) {
			return name
		}
		if d := Distance(small, strings.ToLower(name)); len(small) > 1 && d < least {
			near, least = name, d
		}
	}
	return near
}
