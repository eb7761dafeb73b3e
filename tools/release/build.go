package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	targets = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"
	sbom    = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0"
)

// build writes what a release consists of into a folder, which must be empty or missing.
func build(top, version, out string, targets []string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	if files, err := os.ReadDir(out); err != nil || len(files) > 0 {
		return errors.Join(fmt.Errorf("%s is not empty", out), err)
	}
	return inCheckout(top, "cmd/elect/"+version, func(tree string) error {
		cache, err := os.MkdirTemp("", "release")
		if err != nil {
			return err
		}
		defer os.RemoveAll(cache)
		env, err := fromRepository(top, filepath.Join(cache, "mod"))
		if err != nil {
			return err
		}
		if _, err := output(tree, []string{"GOWORK="}, "make", "page"); err != nil {
			return err
		}
		goMod, err := withPage(filepath.Join(tree, "cmd", "elect"), cache)
		if err != nil {
			return err
		}
		site := filepath.Join(tree, "page", "build", "site.html")
		if err := copied(filepath.Join(out, "elect_"+version[1:]+".html"), site); err != nil {
			return err
		}
		for _, target := range targets {
			system, arch, ok := strings.Cut(target, "/")
			if !ok {
				return fmt.Errorf("%q is not a system such as linux/amd64", target)
			}
			if err := archive(tree, version, out, system, arch, append(env, "GOFLAGS=-modcacherw -modfile="+goMod)); err != nil {
				return err
			}
		}
		return sums(out)
	})
}

// withPage writes a go.mod for the command in which the module of the page is a folder: a program contains the page
// that is built there, and the module does not contain it.
func withPage(command, dir string) (file string, err error) {
	f, err := read(filepath.Join(command, "go.mod"))
	if err != nil {
		return "", err
	}
	if err := f.AddReplace(path+"/page", "", "../../page", ""); err != nil {
		return "", err
	}
	text, err := f.Format()
	if err != nil {
		return "", err
	}
	file = filepath.Join(dir, "go.mod")
	return file, errors.Join(os.WriteFile(file, text, 0o666), copied(filepath.Join(dir, "go.sum"), filepath.Join(command, "go.sum")))
}

// archive builds the command for one system.
func archive(tree, version, out, system, arch string, env []string) error {
	name := fmt.Sprintf("elect_%s_%s_%s", version[1:], system, arch)
	program := filepath.Join(tree, "dist", name, "elect")
	if system == "windows" {
		program += ".exe"
	}
	env = append(env, "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
	if _, err := output(filepath.Join(tree, "cmd", "elect"), env, "go", "build", "-trimpath", "-buildvcs=true", "-tags", "embedpage",
		"-ldflags", "-s -w", "-o", program, "."); err != nil {
		return err
	}
	if _, err := output(tree, nil, "go", "run", sbom, "bin", "-json", "-licenses=false", "-version", version, "-output",
		filepath.Join(out, name+".cdx.json"), program); err != nil {
		return err
	}
	when, err := output(tree, nil, "git", "log", "-1", "--format=%cI")
	if err != nil {
		return err
	}
	modified, err := time.Parse(time.RFC3339, when)
	if err != nil {
		return err
	}
	pack, ending := packTar, ".tar.gz"
	if system == "windows" {
		pack, ending = packZip, ".zip"
	}
	file, err := os.Create(filepath.Join(out, name+ending))
	if err != nil {
		return err
	}
	files := []string{program, filepath.Join(tree, "LICENSE"), filepath.Join(tree, "CHANGELOG.md")}
	return errors.Join(pack(file, name, files, modified), file.Close())
}

// packTar writes files into a folder of an archive. The same files result in the same archive.
func packTar(w io.Writer, folder string, files []string, modified time.Time) error {
	zipped := gzip.NewWriter(w)
	archive := tar.NewWriter(zipped)
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		if err := archive.WriteHeader(&tar.Header{Name: folder + "/" + info.Name(), Size: info.Size(),
			Mode: int64(info.Mode().Perm() &^ 0o022), ModTime: modified}); err != nil {
			return err
		}
		if err := writeFile(archive, file); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), zipped.Close())
}

func packZip(w io.Writer, folder string, files []string, modified time.Time) error {
	archive := zip.NewWriter(w)
	for _, file := range files {
		header := &zip.FileHeader{Name: folder + "/" + filepath.Base(file), Method: zip.Deflate, Modified: modified}
		to, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if err := writeFile(to, file); err != nil {
			return err
		}
	}
	return archive.Close()
}

func writeFile(w io.Writer, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

func copied(to, from string) error {
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	return errors.Join(writeFile(f, from), f.Close())
}

// sums writes the checksums of all files of a folder, as sha256sum does.
func sums(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, file := range files {
		sum := sha256.New()
		if err := writeFile(sum, filepath.Join(dir, file.Name())); err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%x  %s\n", sum.Sum(nil), file.Name())
	}
	return os.WriteFile(filepath.Join(dir, "checksums.txt"), []byte(lines.String()), 0o644)
}
