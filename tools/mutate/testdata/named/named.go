// Package named has a condition with a type of its own, for which the switch does not compile.
package named

type answer bool

func both(x, y answer) answer {
	return x && y
}

func less(x, y int) bool {
	return x < y
}
