package main

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const most = 10 * time.Second // that a leader gets for what it does at once

// TestLead: a leader writes at once. One whose token is refused learns which one the database knows.
func TestLead(t *testing.T) {
	db := database{"sqlite", t.TempDir() + "/jobs.db"}.connect(t)
	none := func(token uint64) error {
		t.Errorf("advances to %d", token)
		return nil
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.NoError(t, lead(ctx, db, "a", 7, none), "it has ended before it began")
	_, texts := rows(t, db)
	require.Empty(t, texts)

	ctx, stop = context.WithTimeout(t.Context(), most)
	ended := make(chan error, 1)
	go func() { ended <- lead(ctx, db, "a", 7, none) }()
	for len(texts) == 0 && ctx.Err() == nil {
		_, texts = rows(t, db)
	}
	stop()
	require.NoError(t, <-ended)

	require.NoError(t, write(t.Context(), db, 9, nil, "by another leader"))
	ctx, stop = context.WithTimeout(t.Context(), most)
	var known uint64
	require.NoError(t, lead(ctx, db, "a", 7, func(token uint64) error {
		known = token
		stop()
		return nil
	}))
	require.Equal(t, uint64(9), known)
	_, texts = rows(t, db)
	require.Equal(t, []string{"a", "by another leader"}, texts)
}
