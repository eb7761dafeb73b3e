package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// unreleased are the folders whose modules only serve tests, measurements and examples.
var unreleased = []string{"adapters/consultest", "adapters/peers", "adapters/sqltest", "bench", "chaos", "examples", "tools"}

// goModule is a module of the repository.
type goModule struct {
	dir   string // slash-separated, "." for the root
	needs []string
}

func (m *goModule) tag(version string) string {
	if m.dir == "." {
		return version
	}
	return m.dir + "/" + version
}

// folder returns the folder of a module of this repository.
func folder(modulePath string) (dir string, ok bool) {
	if modulePath == path {
		return ".", true
	}
	return strings.CutPrefix(modulePath, path+"/")
}

// released returns the modules that are released, in levels: each module requires only modules of earlier levels.
func released(top string) (levels [][]goModule, err error) {
	files, err := output(top, nil, "git", "ls-files", "--", "go.mod", "*/go.mod")
	if err != nil {
		return nil, err
	}
	var rest []goModule
	for file := range strings.Lines(files) {
		m := goModule{dir: filepath.ToSlash(filepath.Dir(strings.TrimSpace(file)))}
		if slices.ContainsFunc(unreleased, func(dir string) bool { return strings.HasPrefix(m.dir+"/", dir+"/") }) {
			continue
		}
		f, err := read(filepath.Join(top, m.dir, "go.mod"))
		if err != nil {
			return nil, err
		}
		if dir, ok := folder(f.Module.Mod.Path); !ok || dir != m.dir {
			return nil, fmt.Errorf("%s/go.mod has the path %s", m.dir, f.Module.Mod.Path)
		}
		for _, r := range f.Require {
			if dir, ok := folder(r.Mod.Path); ok {
				m.needs = append(m.needs, dir)
			}
		}
		rest = append(rest, m)
	}
	var done []string
	for len(rest) > 0 {
		var level, later []goModule
		for _, m := range rest {
			if slices.ContainsFunc(m.needs, func(dir string) bool { return !slices.Contains(done, dir) }) {
				later = append(later, m)
			} else {
				level = append(level, m)
			}
		}
		if len(level) == 0 {
			return nil, fmt.Errorf("%s requires a module that is not released: %s", later[0].dir, later[0].needs)
		}
		for _, m := range level {
			done = append(done, m.dir)
		}
		levels, rest = append(levels, level), later
	}
	return levels, nil
}

func read(file string) (*modfile.File, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(file, text, nil)
}

// tag tags all released modules at the commit that is checked out, and returns the tags.
func tag(top, version string) (tags []string, err error) {
	levels, err := released(top)
	if err != nil {
		return nil, err
	}
	head, err := output(top, nil, "git", "rev-parse", "HEAD")
	if err != nil {
		return nil, err
	}
	return tags, inCheckout(top, head, func(tree string) error {
		cache, err := os.MkdirTemp("", "release")
		if err != nil {
			return err
		}
		defer os.RemoveAll(cache)
		env, err := fromRepository(top, cache)
		if err != nil {
			return err
		}
		for i, level := range levels {
			if i == 1 { // the tag of the root is a commit of the branch
				if err := workspace(filepath.Join(tree, "go.work"), version); err != nil {
					return err
				}
			}
			var dirs []string
			for _, m := range level {
				if len(m.needs) > 0 {
					dirs = append(dirs, m.dir)
				}
				if err := pin(filepath.Join(tree, m.dir), version, env); err != nil {
					return err
				}
			}
			if err := commit(tree, version, dirs); err != nil {
				return err
			}
			for _, m := range level {
				tags = append(tags, m.tag(version))
				if err := point(top, tree, m.tag(version)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// workspace makes go.work replace the version as well by folders, so that a clone at a tag works like the branch.
func workspace(file, version string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	f, err := modfile.ParseWork(file, text, nil)
	if err != nil {
		return err
	}
	for _, r := range slices.Clone(f.Replace) {
		if err := f.AddReplace(r.Old.Path, version, r.New.Path, ""); err != nil {
			return err
		}
	}
	f.Cleanup()
	return os.WriteFile(file, modfile.Format(f.Syntax), 0o666)
}

// pin makes a module require others of this repository in a version, and nothing from a folder.
func pin(dir, version string, env []string) error {
	file := filepath.Join(dir, "go.mod")
	f, err := read(file)
	if err != nil {
		return err
	}
	var sums []string
	for _, r := range slices.Clone(f.Require) {
		if _, ok := folder(r.Mod.Path); !ok {
			continue
		}
		if err := f.AddRequire(r.Mod.Path, version); err != nil {
			return err
		}
		lines, err := sumsOf(r.Mod.Path, version, env)
		if err != nil {
			return err
		}
		sums = append(sums, lines...)
	}
	for _, r := range slices.Clone(f.Replace) {
		if _, ok := folder(r.Old.Path); !ok {
			return fmt.Errorf("%s replaces %s: go install refuses that, and programs ignore it", file, r.Old.Path)
		}
		if err := f.DropReplace(r.Old.Path, r.Old.Version); err != nil {
			return err
		}
	}
	if sums == nil {
		return nil
	}
	f.Cleanup()
	text, err := f.Format()
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, text, 0o666); err != nil {
		return err
	}
	return addSums(filepath.Join(dir, "go.sum"), sums)
}

// sumsOf returns the lines of go.sum about a module.
func sumsOf(modulePath, version string, env []string) ([]string, error) {
	text, err := output(os.TempDir(), env, "go", "mod", "download", "-json", modulePath+"@"+version)
	if err != nil {
		return nil, err
	}
	var m struct{ Sum, GoModSum string }
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return nil, err
	}
	return []string{modulePath + " " + version + " " + m.Sum, modulePath + " " + version + "/go.mod " + m.GoModSum}, nil
}

// addSums adds lines to a file go.sum, which is sorted by the paths of modules.
func addSums(file string, sums []string) error {
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	lines := append(strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' }), sums...)
	slices.SortStableFunc(lines, func(a, b string) int { return strings.Compare(strings.Fields(a)[0], strings.Fields(b)[0]) })
	return os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o666)
}

// commit commits the changes of a level, with the date and author of the commit before, so that doing it again results
// in the same commit.
func commit(tree, version string, dirs []string) error {
	if len(dirs) == 0 {
		return nil
	}
	last, err := output(tree, nil, "git", "log", "-1", "--format=%an%n%ae%n%aI")
	if err != nil {
		return err
	}
	by := strings.Split(last, "\n")
	env := []string{"GIT_AUTHOR_NAME=" + by[0], "GIT_AUTHOR_EMAIL=" + by[1], "GIT_AUTHOR_DATE=" + by[2],
		"GIT_COMMITTER_NAME=" + by[0], "GIT_COMMITTER_EMAIL=" + by[1], "GIT_COMMITTER_DATE=" + by[2]}
	text := fmt.Sprintf("release: require %s\n\nThese modules require others of this repository in this version instead "+
		"of in\nfolders:\n\n    %s\n", version, strings.Join(dirs, "\n    "))
	if _, err := output(tree, nil, "git", "add", "--all"); err != nil {
		return err
	}
	_, err = output(tree, env, "git", "-c", "commit.gpgSign=false", "commit", "--quiet", "--no-verify", "-m", text)
	return err
}

// point creates a tag for the commit that is checked out in tree, unless it exists. It fails if the tag points elsewhere.
func point(top, tree, tag string) error {
	head, err := output(tree, nil, "git", "rev-parse", "HEAD")
	if err != nil {
		return err
	}
	if at, err := output(top, nil, "git", "rev-parse", "--quiet", "--verify", "refs/tags/"+tag+"^{commit}"); err == nil {
		if at != head {
			return fmt.Errorf("the tag %s exists, and points to %s instead of %s", tag, at, head)
		}
		return nil
	}
	_, err = output(top, nil, "git", "fetch", "--quiet", "--no-tags", tree, "HEAD:refs/tags/"+tag)
	return err
}

// fromRepository returns the environment in which the go command takes the modules of the project from the tags of this
// repository, into an empty cache of modules: versions that are not pushed may be tagged again. It takes other modules
// from the usual cache, if they are there.
func fromRepository(top, cache string) (env []string, err error) {
	usual, err := output(top, nil, "go", "env", "GOMODCACHE", "GOPROXY")
	if err != nil {
		return nil, err
	}
	mods, proxy, _ := strings.Cut(usual, "\n")
	repository, err := output(top, nil, "git", "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return nil, err
	}
	return []string{"GOWORK=off", "GOMODCACHE=" + cache, "GOFLAGS=-modcacherw", "GOPRIVATE=" + path,
		"GOPROXY=file://" + filepath.ToSlash(filepath.Join(mods, "cache", "download")) + "," + proxy,
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://" + filepath.ToSlash(repository) + ".insteadOf",
		"GIT_CONFIG_VALUE_0=https://" + path}, nil
}
