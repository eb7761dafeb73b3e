package build_test

import (
	"archive/zip"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/page/build"
)

// offer writes a version of a module into the folder of a proxy, as the go command expects it there.
func offer(t *testing.T, proxy, name, version, folder string) {
	t.Helper()
	at := filepath.Join(proxy, filepath.FromSlash(name), "@v", version)
	require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o777))
	require.NoError(t, os.WriteFile(at+".info", []byte(`{"Version": "`+version+`"}`), 0o666))
	mod, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(at+".mod", mod, 0o666))
	file, err := os.Create(at + ".zip")
	require.NoError(t, err)
	z := zip.NewWriter(file)
	require.NoError(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rest, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, err := os.Stat(filepath.Join(path, "go.mod"))
			if rest != "." && (err == nil || d.Name()[0] == '.' || d.Name() == "site") {
				return filepath.SkipDir // a module of its own, or none of this one
			}
			return nil
		}
		if strings.HasSuffix(path, "_test.go") { // the page needs none, and they are half of it
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		w, err := z.Create(name + "@" + version + "/" + filepath.ToSlash(rest))
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	}))
	require.NoError(t, z.Close())
	require.NoError(t, file.Close())
}

// TestDownload: an installed program builds the same page from the module cache as the workspace does.
func TestDownload(t *testing.T) {
	const library = "github.com/go-election/election"
	proxy, modules := t.TempDir(), t.TempDir()
	offer(t, proxy, library, "v1.2.3", here(t).Library)
	offer(t, proxy, library+"/page", "v1.2.4", here(t).Page)
	want, err := here(t).Read()
	require.NoError(t, err)
	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(proxy))
	t.Setenv("GOMODCACHE", modules)
	t.Setenv("GOSUMDB", "off")
	t.Cleanup(func() { // the go command makes its folders unwritable
		cmd := exec.Command("go", "clean", "-modcache")
		cmd.Env = append(os.Environ(), "GOMODCACHE="+modules)
		require.NoError(t, cmd.Run())
	})
	s, err := build.Download(t.Context(), []string{library + "@v1.2.3", library + "/page@v1.2.4"})
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(s.Page, modules), s.Page)
	got, err := s.Read()
	require.NoError(t, err)
	require.Equal(t, want.Key("go1.26"), got.Key("go1.26"))
	_, err = build.Download(t.Context(), []string{library + "@v1.2.4", library + "/page@v1.2.4"})
	require.Error(t, err)
	require.NotContains(t, err.Error(), "\n")
}
