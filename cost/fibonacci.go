package cost

// Fibonacci returns the k of the largest Fibonacci number F(k) up to n: F(1) = F(2) = 1, and each other one is
// the sum of the previous two. For n less than 1 it returns 2, as for 1.
func Fibonacci(n int) int {
	k := 2
	for last, next := 1, 2; next > 0 && next <= n; k++ { // F(k) and F(k+1), which finally overflows
		last, next = next, last+next
	}
	return k
}
