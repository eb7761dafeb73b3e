package ringtest

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"
)

// require is the little that these tools need of an assertion library. They are no test files,
// and so import none.
var require requirements

type requirements struct{}

// check ends the test unless ok.
func (requirements) check(t testing.TB, ok bool, what string, context []any) {
	t.Helper()
	if ok {
		return
	}
	if len(context) > 0 {
		if format, isText := context[0].(string); isText && len(context) > 1 {
			what += ": " + fmt.Sprintf(format, context[1:]...)
		} else {
			what += ": " + fmt.Sprint(context...)
		}
	}
	t.Fatal(what)
}

func (r requirements) Fail(t testing.TB, what string, context ...any) {
	t.Helper()
	r.check(t, false, what, context)
}

func (r requirements) True(t testing.TB, ok bool, context ...any) {
	t.Helper()
	r.check(t, ok, "should be true", context)
}

func (r requirements) NoError(t testing.TB, err error, context ...any) {
	t.Helper()
	r.check(t, err == nil, fmt.Sprintf("error %v", err), context)
}

func (r requirements) ErrorIs(t testing.TB, err, want error, context ...any) {
	t.Helper()
	r.check(t, errors.Is(err, want), fmt.Sprintf("error %v, not %v", err, want), context)
}

func (r requirements) Equal(t testing.TB, want, got any, context ...any) {
	t.Helper()
	r.check(t, reflect.DeepEqual(want, got), fmt.Sprintf("%#v, not %#v", got, want), context)
}

// Between requires that low <= got <= high, but for rounding.
func (r requirements) Between(t testing.TB, low, got, high float64, context ...any) {
	t.Helper()
	const rounding = 1e-9
	r.check(t, low-rounding <= got && got <= high+rounding,
		fmt.Sprintf("%v, not from %v to %v", got, low, high), context)
}

// Close requires that two numbers are the same, but for rounding.
func (r requirements) Close(t testing.TB, want, got float64, context ...any) {
	t.Helper()
	r.Between(t, want, got, want, context...)
}

// AtLeast requires that got is not less than low.
func (r requirements) AtLeast(t testing.TB, low, got float64, context ...any) {
	t.Helper()
	r.Between(t, low, got, math.Inf(1), context...)
}
