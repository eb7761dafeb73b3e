//go:build unix

// Package servers starts database servers for tests: private ones, with their data in a temporary directory, on a free
// port of 127.0.0.1. It needs the Debian packages postgresql and mariadb-server, or what they contain.
//
// The servers are not durable: they survive a kill, but not a crash of the machine. If the test runs as root, they run
// as the users postgres and mysql.
package servers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// Server is a database server.
type Server struct {
	Address string // host and port

	directory string
	identity  *syscall.Credential // nil: the user of the test
	program   []string
	ready     []string // succeeds if the server answers
	output    bytes.Buffer
	running   *exec.Cmd
	exited    chan struct{}
}

const patience = time.Minute // to start

// PostgreSQL starts a server of PostgreSQL. The user postgres needs no password.
func PostgreSQL(ctx context.Context) (*Server, error) {
	bin, err := newest("/usr/lib/postgresql/*/bin")
	if err != nil {
		return nil, err
	}
	s, port, err := prepare("postgres")
	if err != nil {
		return nil, err
	}
	data := filepath.Join(s.directory, "data")
	s.program = []string{filepath.Join(bin, "postgres"), "-D", data, "-p", port, "-k", s.directory, "-F",
		"-c", "listen_addresses=127.0.0.1"}
	s.ready = []string{filepath.Join(bin, "pg_isready"), "-q", "-h", "127.0.0.1", "-p", port}
	return s.begin(ctx, filepath.Join(bin, "initdb"), "-D", data, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync")
}

// MariaDB starts a server of MariaDB. The user root needs no password; the database test exists.
func MariaDB(ctx context.Context) (*Server, error) {
	server, err := newest("/usr/sbin/mariadbd")
	if err != nil {
		return nil, err
	}
	s, port, err := prepare("mysql")
	if err != nil {
		return nil, err
	}
	data := filepath.Join(s.directory, "data")
	socket := filepath.Join(s.directory, "socket")
	s.program = []string{server, "--no-defaults", "--datadir=" + data, "--port=" + port, "--bind-address=127.0.0.1",
		"--socket=" + socket, "--pid-file=" + filepath.Join(s.directory, "pid"), "--innodb-flush-log-at-trx-commit=2"}
	s.ready = []string{"mariadb-admin", "--no-defaults", "--user=root", "--host=127.0.0.1", "--port=" + port, "ping"}
	return s.begin(ctx, "mariadb-install-db", "--no-defaults", "--datadir="+data, "--auth-root-authentication-method=normal")
}

// newest returns the last file that matches a pattern.
func newest(pattern string) (string, error) {
	names, err := filepath.Glob(pattern)
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("servers: there is no %s", pattern)
	}
	if err != nil {
		return "", err
	}
	return names[len(names)-1], nil
}

// prepare makes a directory for a server that root starts as another user, and chooses its port.
func prepare(name string) (s *Server, port string, err error) {
	s = &Server{}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	s.Address = listener.Addr().String()
	if err := listener.Close(); err != nil {
		return nil, "", err
	}
	_, port, err = net.SplitHostPort(s.Address)
	if err != nil {
		return nil, "", err
	}
	if s.directory, err = os.MkdirTemp("", "election-"+name); err != nil || os.Getuid() != 0 {
		return s, port, err
	}
	account, err := user.Lookup(name)
	if err != nil {
		return nil, "", err
	}
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	if err != nil {
		return nil, "", err
	}
	gid, err := strconv.ParseUint(account.Gid, 10, 32)
	if err != nil {
		return nil, "", err
	}
	s.identity = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return s, port, os.Chown(s.directory, int(uid), int(gid))
}

func (s *Server) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = s.directory
	cmd.Env = append(os.Environ(), "LC_ALL=C", "HOME="+s.directory, "TMPDIR="+s.directory)
	cmd.SysProcAttr = attributes(s.identity)
	return cmd
}

// begin carries out the command that makes the first data, and starts the server.
func (s *Server) begin(ctx context.Context, program string, args ...string) (*Server, error) {
	if out, err := s.command(program, args...).CombinedOutput(); err != nil {
		return nil, errors.Join(fmt.Errorf("servers: %s: %w: %s", program, err, out), s.Close())
	}
	if err := s.Start(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Start starts the server, again after Kill, and waits until it answers.
func (s *Server) Start(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	for {
		if s.running == nil {
			s.output.Reset()
			cmd := s.command(s.program[0], s.program[1:]...)
			cmd.Stdout, cmd.Stderr = &s.output, &s.output
			cmd.WaitDelay = time.Second
			if err := cmd.Start(); err != nil {
				return fmt.Errorf("servers: %w", err)
			}
			s.running, s.exited = cmd, make(chan struct{})
			go func() {
				_ = cmd.Wait()
				close(s.exited)
			}()
		}
		if s.command(s.ready[0], s.ready[1:]...).Run() == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("servers: %s does not answer: %w", s.program[0], ctx.Err()), s.Kill(),
				errors.New(s.output.String()))
		case <-s.exited:
			s.running = nil // processes of the last server may be ending
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Signal sends a signal to the server, such as SIGSTOP and SIGCONT. PostgreSQL answers in other processes.
func (s *Server) Signal(signal syscall.Signal) error { return s.running.Process.Signal(signal) }

// Kill ends the server as a crash does.
func (s *Server) Kill() error {
	if s.running == nil {
		return nil
	}
	err := s.running.Process.Kill()
	if errors.Is(err, os.ErrProcessDone) {
		err = nil
	}
	<-s.exited
	s.running = nil
	return err
}

// Close kills the server and removes its data.
func (s *Server) Close() error {
	err := s.Kill()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		removed := os.RemoveAll(s.directory) // the last processes may still write
		if removed == nil || time.Now().After(end) {
			return errors.Join(err, removed)
		}
	}
}
