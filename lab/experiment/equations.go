package experiment

import "slices"

// Verdict is a judgment of an equation of the paper.
type Verdict string

// The verdicts.
const (
	Right      Verdict = "right"
	RightFor   Verdict = "right for live n"
	Wrong      Verdict = "wrong"
	NotInPaper Verdict = "not in the paper"
)

// pattern is which process notices, and which are down besides process n, the old coordinator.
type pattern uint8

const (
	allUp     pattern = iota // i < n-1, no other is down
	topStarts                // i = n-1, no other is down
	allDown                  // every i, all above i are down
	meanDown                 // the mean of that over i
	most                     // the largest number over every i and every set of others that are down
)

// Equation is a number of messages, by the paper and by what is right. In formulas n is the number of
// processes, the old coordinator that is down included.
type Equation struct {
	Name    string // its number in the paper
	Variant string // of modbully
	Case    string
	// Printed is the formula in the paper. Paper is the same formula for the n and i of this package.
	Printed string
	Paper   func(n, i int) float64
	Formula string // what is right
	Value   func(n, i int) float64
	Verdict Verdict
	Why     string

	pattern pattern
}

// Equations returns the equations of the paper, and the largest possible counts.
func Equations() []Equation {
	return slices.Concat(liveEquations(), convenienceEquations(), numberEquations(), largest())
}

// liveEquations returns the equations in which the paper does not count the old coordinator in n.
func liveEquations() []Equation {
	return []Equation{
		{
			Name: "(1)", Variant: "convenience", Case: "all but n up, i < n-1", pattern: allUp,
			Printed: "3n'-1", Paper: func(n, _ int) float64 { return float64(3*(n-1) - 1) },
			Formula: "3n-4", Value: convenience, Verdict: RightFor,
			Why: "n' counts only the n-1 processes that are up; (3) to (10) count the dead coordinator " +
				"too. " +
				"Read with the n of (3) to (10) it would be 3 too many.",
		},
		{
			Name: "(2)", Variant: "number", Case: "all but n up, i < n-1", pattern: allUp,
			Printed: "2n'", Paper: func(n, _ int) float64 { return float64(2 * (n - 1)) },
			Formula: "2n-2", Value: number, Verdict: RightFor,
			Why: "n' counts only the n-1 processes that are up. Read with the n of (3) to (10) it would " +
				"be 2 too many.",
		},
	}
}

// convenienceEquations are those on pending convenience, with the old coordinator in n.
func convenienceEquations() []Equation {
	return []Equation{
		{
			Name: "(3)", Variant: "convenience", Case: "best: i = n-1", pattern: topStarts,
			Printed: "3n-6", Paper: convenienceTop, Formula: "3n-6", Value: convenienceTop, Verdict: Right,
			Why: "The count is right, the name is not: (4), the worst case of the paper, is never above it.",
		},
		{
			Name: "(4)", Variant: "convenience", Case: "worst: all above i down", pattern: allDown,
			Printed: "n+2i-4", Paper: convenienceDown, Formula: "n+2i-4", Value: convenienceDown,
			Verdict: Right,
			Why: "The count is right, the name is not: it is n-2 for the smallest process and never " +
				"above (3), the best case.",
		},
		{
			Name: "(5)", Variant: "convenience", Case: "mean of (4) over i", pattern: meanDown,
			Printed: "sum over i=1..n of (n+2i-4)/(n-1)",
			Paper:   func(n, _ int) float64 { return float64(n*(2*n-3)) / float64(n-1) },
			Formula: "2n-4", Value: func(n, _ int) float64 { return float64(2*n - 4) }, Verdict: Wrong,
			Why: "The sum has n terms of probability 1/(n-1), which add up to more than 1: i = n is the " +
				"one that is down. O(n) is right.",
		},
		{
			Name: "(6)", Variant: "convenience", Case: "average: all but n up, i < n-1", pattern: allUp,
			Printed: "3n-4", Paper: convenience, Formula: "3n-4", Value: convenience, Verdict: Right,
			Why: "The count is right, the name is not: nothing that a single process starts takes more.",
		},
	}
}

// numberEquations are those on election numbers, likewise.
func numberEquations() []Equation {
	return []Equation{
		{
			Name: "(7)", Variant: "number", Case: "best: i = n-1", pattern: topStarts,
			Printed: "2n-4", Paper: numberTop, Formula: "2n-4", Value: numberTop, Verdict: Right,
			Why: "The count is right, the name is not: (8), the worst case of the paper, is never above it.",
		},
		{
			Name: "(8)", Variant: "number", Case: "worst: all above i down", pattern: allDown,
			Printed: "n+i-3", Paper: numberDown, Formula: "n+i-3", Value: numberDown, Verdict: Right,
			Why: "The count is right, the name is not: it is n-2 for the smallest process and never " +
				"above (7), the best case.",
		},
		{
			Name: "(9)", Variant: "number", Case: "mean of (8) over i", pattern: meanDown,
			Printed: "(2n^2-5n+3)/(n-1)", Paper: func(n, _ int) float64 { return float64(2*n - 3) },
			Formula: "(3n-6)/2", Value: func(n, _ int) float64 { return float64(3*n-6) / 2 }, Verdict: Wrong,
			Why: "It is n-1 times the last term, divided by n-1: the last term, 2n-3, is taken for the " +
				"mean. And that term is of i = n, which is down. O(n) is right.",
		},
		{
			Name: "(10)", Variant: "number", Case: "average: all but n up, i < n-1", pattern: allUp,
			Printed: "2n-2", Paper: number, Formula: "2n-2", Value: number, Verdict: Right,
			Why: "The count is right, the name is not: nothing that a single process starts takes more.",
		},
	}
}

// largest are the largest counts that there can be.
func largest() []Equation {
	return []Equation{
		{
			Name: "most", Variant: "base", Case: "every i, all sets of dead", pattern: most,
			Formula: "n", Value: func(n, _ int) float64 { return float64(n) }, Verdict: NotInPaper,
			Why: "The paper has no count of the modified bully algorithm itself.",
		},
		{
			Name: "most", Variant: "convenience", Case: "every i, all sets of dead", pattern: most,
			Printed: "3n-6, of (4)", Paper: convenienceTop, Formula: "3n-4", Value: convenience,
			Verdict: Wrong,
			Why: "The true worst case is what the paper calls the average, (6). Its worst case, (4), " +
				"is 3n-6 at most.",
		},
		{
			Name: "most", Variant: "number", Case: "every i, all sets of dead", pattern: most,
			Printed: "2n-4, of (8)", Paper: numberTop, Formula: "2n-2", Value: number, Verdict: Wrong,
			Why: "The true worst case is what the paper calls the average, (10). Its worst case, (8), is " +
				"2n-4 at most.",
		},
	}
}

func convenience(n, _ int) float64     { return float64(3*n - 4) }
func convenienceTop(n, _ int) float64  { return float64(3*n - 6) }
func convenienceDown(n, i int) float64 { return float64(n + 2*i - 4) }
func number(n, _ int) float64          { return float64(2*n - 2) }
func numberTop(n, _ int) float64       { return float64(2*n - 4) }
func numberDown(n, i int) float64      { return float64(n + i - 3) }
