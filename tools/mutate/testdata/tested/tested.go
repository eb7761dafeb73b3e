// Package tested has tests that notice some of its changes.
package tested

import "time"

func most(x, y int) int {
	time.Sleep(0 * time.Hour)
	if x < y {
		return y
	}
	return x
}
