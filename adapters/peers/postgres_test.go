package peers

import (
	"context"
	"database/sql"
	"testing"

	_ "github.com/lib/pq"

	"github.com/go-election/election/adapters/sqltest/servers"
)

// TestPostgreSQLAdvisoryLock: the server ends the session of the holder of an advisory lock, as an administrator, a
// failover or a pooler does. Another session gets the lock, and nothing tells the former holder, whose connection is
// still open, until it asks.
func TestPostgreSQLAdvisoryLock(t *testing.T) {
	server, err := servers.PostgreSQL(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	db, err := sql.Open("postgres", "postgres://postgres@"+server.Address+"/postgres?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	session := func() *sql.Conn {
		c, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	ask := func(c *sql.Conn, query string, args ...any) (result bool) {
		if err := c.QueryRowContext(t.Context(), query, args...).Scan(&result); err != nil {
			t.Fatal(err)
		}
		return result
	}
	a, b := session(), session()
	defer b.Close()
	if !ask(a, "SELECT pg_try_advisory_lock(37)") || ask(b, "SELECT pg_try_advisory_lock(37)") {
		t.Fatal("a and only a should have the lock")
	}
	var pid int
	if err := a.QueryRowContext(t.Context(), "SELECT pg_backend_pid()").Scan(&pid); err != nil {
		t.Fatal(err)
	}
	if !ask(b, "SELECT pg_terminate_backend($1, 60000)", pid) {
		t.Fatal("the session of a does not end")
	}
	if !ask(b, "SELECT pg_try_advisory_lock(37)") {
		t.Fatal("b does not get the lock")
	}
	// a has done nothing meanwhile, and has learned nothing. It does when it asks.
	if err := a.PingContext(context.Background()); err == nil {
		t.Fatal("the session of a is still alive")
	}
}
