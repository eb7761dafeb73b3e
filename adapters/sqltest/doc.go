// Package sqltest tests package store/sqlstore on PostgreSQL, MariaDB and SQLite, with several drivers. It is a module of
// its own because of these. Package servers starts the servers.
package sqltest
