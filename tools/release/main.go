// Command release makes a version of the project.
//
//	release tag v0.1.0
//	release build v0.1.0 -out dist -targets linux/amd64,darwin/arm64
//
// Tag creates the tags of all modules, such as adapters/etcdstore/v0.1.0, for the commit that is checked out. On the
// main branch, modules of this repository require each other in version v0.0.0, which replace directives and go.work
// replace by folders. The go command refuses to install a command whose go.mod has such directives, and ignores them in
// the modules that a program requires. So the tags of nested modules point to commits next to the branch, in which
// each module requires the version. Calling tag again creates the same commits.
//
// Build builds the command at its tag for several systems, and writes archives, a software bill of materials of
// each program and the checksums of all files.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// path is the path of the root module.
const path = "github.com/go-election/election"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("usage: release tag VERSION, or release build VERSION [-out DIR] [-targets OS/ARCH,...]")

func run(args []string) error {
	if len(args) < 2 {
		return errUsage
	}
	version := args[1]
	if semver.Canonical(version) != version {
		return fmt.Errorf("%q is not a version such as v0.1.0", version)
	}
	if err := module.CheckPathMajor(version, ""); err != nil {
		return fmt.Errorf("the paths of the modules have no major version: %w", err)
	}
	top, err := output(".", nil, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	flags := flag.NewFlagSet("build", flag.ContinueOnError)
	switch args[0] {
	case "tag":
		if len(args) > 2 {
			return errUsage
		}
		tags, err := tag(top, version)
		if err != nil {
			return err
		}
		fmt.Printf("git push origin %s\n", strings.Join(tags, " "))
		return nil
	case "build":
		out := flags.String("out", "dist", "the folder for the archives")
		targets := flags.String("targets", targets, "the systems, separated by commas")
		if err := flags.Parse(args[2:]); err != nil {
			return err
		}
		dir, err := filepath.Abs(*out)
		if err != nil {
			return err
		}
		return build(top, version, dir, strings.Split(*targets, ","))
	}
	return errUsage
}

// output runs a program in a folder, with further environment, and returns what it prints, without spaces around it.
func output(dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	text, err := cmd.Output()
	if err == nil {
		return strings.TrimSpace(string(text)), nil
	}
	line := name + " " + strings.Join(args, " ")
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return "", fmt.Errorf("%s in %s: %w\n%s%s", line, dir, err, text, failed.Stderr)
	}
	return "", fmt.Errorf("%s: %w", line, err)
}

// inCheckout calls do with a folder in which a revision of the repository is checked out. It is a clone, since the go
// command finds no version in a worktree of git.
func inCheckout(top, revision string, do func(dir string) error) error {
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	tree := filepath.Join(dir, "election")
	if _, err = output(top, nil, "git", "clone", "--quiet", "--shared", "--no-checkout", top, tree); err == nil {
		_, err = output(tree, nil, "git", "checkout", "--quiet", "--detach", revision)
	}
	if err == nil {
		err = do(tree)
	}
	return errors.Join(err, os.RemoveAll(dir))
}
