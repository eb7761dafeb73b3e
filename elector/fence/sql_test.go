package fence_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector/fence"
)

// answer is a database that gives the same answer to each statement.
type answer struct {
	result sql.Result
	err    error
	asked  []any
}

func (a *answer) ExecContext(_ context.Context, statement string, args ...any) (sql.Result, error) {
	a.asked = append([]any{statement}, args...)
	return a.result, a.err
}

// TestExec: a statement that changes no row is one of an earlier leader. Other errors are not. What a real
// database answers is tried in adapters/sqltest.
func TestExec(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		answer answer
		want   error
		text   string
	}{
		{answer{result: driver.RowsAffected(1)}, nil, ""},
		{answer{result: driver.RowsAffected(2)}, nil, ""},
		{answer{result: driver.RowsAffected(0)}, fence.ErrStale, "no row was changed"},
		{answer{err: broken}, broken, "broken"},
		{answer{result: driver.ResultNoRows}, nil, "fence: counting the changed rows: "},
	} {
		err := fence.Exec(t.Context(), &c.answer, "UPDATE", 1, "a")
		require.Equal(t, []any{"UPDATE", 1, "a"}, c.answer.asked)
		if c.text == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, c.text)
		require.Equal(t, c.want == fence.ErrStale, errors.Is(err, fence.ErrStale))
		if c.want != nil {
			require.ErrorIs(t, err, c.want)
		}
	}
}
