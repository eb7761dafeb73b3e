package cost

// Fibonacci returns k, where F(k) is the largest Fibonacci number up to n: F(1) = F(2) = 1, and each other
// one is the sum of the two before it. With n less than 1 it is 2, as with 1.
func Fibonacci(n int) int {
	k := 2
	for last, next := 1, 2; next > 0 && next <= n; k++ { // F(k) and F(k+1), which overflows at last
		last, next = next, last+next
	}
	return k
}
