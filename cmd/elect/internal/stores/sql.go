package stores

import (
	"context"
	"database/sql"
	"net"
	"net/url"
	"strings"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/go-election/election/input"
	"github.com/go-election/election/store"
	"github.com/go-election/election/store/sqlstore"
)

const removeRows = "DELETE FROM election_store WHERE name LIKE 'storetest/%'"

const replicas = "If a replica that lacks the last commits takes over, two members may lead: replicate synchronously."

var postgres = &Engine{
	Scheme: "postgres",
	Form:   "postgres://USER:PASSWORD@HOST:5432/DATABASE",
	Port:   "5432",
	Open: func(_ context.Context, u *url.URL, address string) (store.Store, func() error, error) {
		config, err := pgx.ParseConfig(u.String())
		if err != nil {
			return nil, nil, input.Errorf("%s: %w", u.Redacted(), err)
		}
		// A certificate is of the host of the URL, wherever that is.
		config.DialFunc = dial(address)
		db := stdlib.OpenDB(*config)
		return sqlstore.New(db, sqlstore.PostgreSQL), db.Close, nil
	},
	Remove: removeRows,
	Limits: []string{
		replicas,
		"With synchronous_commit = off, a crash of the server may lose the last commits.",
	},
}

func dial(address string) func(ctx context.Context, network, _ string) (net.Conn, error) {
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}
}

var mysqlEngine = &Engine{
	Scheme: "mysql",
	Form:   "mysql://USER:PASSWORD@HOST:3306/DATABASE",
	Port:   "3306",
	Open: func(_ context.Context, u *url.URL, address string) (store.Store, func() error, error) {
		plain := mysql.NewConfig()
		plain.User = u.User.Username()
		plain.Passwd, _ = u.User.Password()
		plain.Net, plain.Addr, plain.DBName = "tcp", u.Host, strings.TrimPrefix(u.Path, "/")
		config, err := mysql.ParseDSN(plain.FormatDSN() + "?" + u.RawQuery)
		if err != nil {
			return nil, nil, input.Errorf("%s: %w", u.Redacted(), err)
		}
		config.DialFunc = dial(address)
		connector, err := mysql.NewConnector(config)
		if err != nil {
			return nil, nil, input.Errorf("%s: %w", u.Redacted(), err)
		}
		db := sql.OpenDB(connector)
		return sqlstore.New(db, sqlstore.MySQL), db.Close, nil
	},
	Remove: removeRows,
	Limits: []string{
		replicas,
		"With innodb_flush_log_at_trx_commit = 0 or 2, a crash of the machine may lose the last commits.",
	},
}
