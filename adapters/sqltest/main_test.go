//go:build unix

package sqltest_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/lib/pq"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"github.com/go-election/election/adapters/sqltest/servers"
	"github.com/go-election/election/internal/grouptest"
	"github.com/go-election/election/store"
	"github.com/go-election/election/store/sqlstore"
)

var postgres, mariadb *servers.Server

func TestMain(m *testing.M) {
	grouptest.Child(func(address string) (store.Store, error) {
		db, err := sql.Open("pgx", "postgres://postgres@"+address+"/postgres?sslmode=disable")
		if err != nil {
			return nil, err
		}
		// Otherwise a busy server that has just started must start a process for each request that does not wait longer.
		db.SetMaxOpenConns(2)
		return sqlstore.New(db, sqlstore.PostgreSQL), nil
	}, nil)
	os.Exit(func() int {
		var both sync.WaitGroup
		errs := make([]error, 2)
		both.Go(func() { postgres, errs[0] = servers.PostgreSQL(context.Background()) })
		both.Go(func() { mariadb, errs[1] = servers.MariaDB(context.Background()) })
		both.Wait()
		for _, s := range []*servers.Server{postgres, mariadb} {
			if s != nil {
				defer s.Close()
			}
		}
		if err := errors.Join(errs...); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// database is a way to reach one.
type database struct {
	name    string
	driver  string
	dialect sqlstore.Dialect
	server  *servers.Server
	source  func(address string) string
}

func (d *database) address() string {
	if d.server == nil {
		return ""
	}
	return d.server.Address
}

func (d *database) open(address string) (*sql.DB, error) {
	return sql.Open(d.driver, d.source(address))
}

// connect opens the database, as another process does.
func (d *database) connect(t *testing.T) *sql.DB {
	db, err := d.open(d.address())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func (d *database) store(t *testing.T) *sqlstore.Store { return sqlstore.New(d.connect(t), d.dialect) }

func onPostgres(name, driver, options string) database {
	return database{name, driver, sqlstore.PostgreSQL, postgres, func(address string) string {
		return "postgres://postgres@" + address + "/postgres?sslmode=disable" + options
	}}
}

func onMariaDB(name, options string) database {
	return database{name, "mysql", sqlstore.MySQL, mariadb, func(address string) string {
		return "root@tcp(" + address + ")/test" + options
	}}
}

// onServers runs a test with each driver of a server.
func onServers(t *testing.T, test func(t *testing.T, d *database)) {
	for _, d := range []database{
		onPostgres("PostgreSQL/pgx", "pgx", ""),
		onPostgres("PostgreSQL/pq", "postgres", ""),
		onPostgres("PostgreSQL/repeatable read", "pgx", "&default_transaction_isolation=repeatable%20read"),
		onPostgres("PostgreSQL/serializable", "pgx", "&default_transaction_isolation=serializable"),
		onMariaDB("MariaDB", ""),
		onMariaDB("MariaDB/found rows", "?clientFoundRows=true&interpolateParams=true"),
	} {
		t.Run(d.name, func(t *testing.T) { test(t, &d) })
	}
}

// each runs a test with each database and driver.
func each(t *testing.T, test func(t *testing.T, d *database)) {
	onServers(t, test)
	t.Run("SQLite", func(t *testing.T) {
		location := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.Join(t.TempDir(), "a ?#%.db")}).EscapedPath(),
			RawQuery: url.Values{"_pragma": {"busy_timeout(60000)", "journal_mode(WAL)"}}.Encode()}
		test(t, &database{"SQLite", "sqlite", sqlstore.SQLite, nil, func(string) string { return location.String() }})
	})
}

// disconnect ends all other connections to the server.
func (d *database) disconnect(admin *sql.DB) error {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	if d.dialect == sqlstore.PostgreSQL {
		_, err := admin.ExecContext(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`)
		return err
	}
	rows, err := admin.QueryContext(ctx, `SELECT id FROM information_schema.processlist WHERE id <> CONNECTION_ID() AND user = 'root'`)
	if err != nil {
		return err
	}
	defer rows.Close()
	var all []int
	for rows.Next() {
		var id int
		if err := rows.Scan(&id); err != nil {
			return err
		}
		all = append(all, id)
	}
	for _, id := range all {
		if _, err := admin.ExecContext(ctx, fmt.Sprint("KILL ", id)); err != nil && !strings.Contains(err.Error(), "1094") {
			return err // 1094: it has ended already
		}
	}
	return rows.Err()
}
