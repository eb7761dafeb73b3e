// Package pack makes the published form of a page: one script in place of its modules, and scripts and styles
// without comments and blanks. It also compresses the files by Brotli, for hosts that serve such files.
//
//	site, err := build.Own(ctx, nil)
//	...
//	packed, err := pack.Pack(site)
//	err = packed.WriteFolder("site")
//	err = pack.WriteBrotli(packed, "site")
package pack

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/evanw/esbuild/pkg/api"

	"github.com/go-election/election/page/build"
)

// mainModule is the module that the document loads.
const mainModule = "app.js"

// Pack returns a page with the main module and all its imports in one script.
func Pack(site *build.Site) (*build.Site, error) {
	main, inputs, err := bundle(site, mainModule)
	if err != nil {
		return nil, err
	}
	packed := site.Without(inputs...).With(mainModule, main)
	for _, name := range packed.Names() {
		loader, ok := map[string]api.Loader{".js": api.LoaderJS, ".css": api.LoaderCSS}[path.Ext(name)]
		if !ok || name == mainModule {
			continue
		}
		r := api.Transform(string(site.File(name)), api.TransformOptions{Loader: loader, Sourcefile: name,
			MinifyWhitespace: true, MinifySyntax: true, MinifyIdentifiers: true, LegalComments: api.LegalCommentsNone})
		if err := failure(name, r.Errors); err != nil {
			return nil, err
		}
		packed = packed.With(name, r.Code)
	}
	return packed, nil
}

// bundle returns one module that does what a module of the page and its imports do, and the names of all of
// them.
func bundle(site *build.Site, name string) (one []byte, inputs []string, err error) {
	r := api.Build(api.BuildOptions{
		EntryPoints: []string{name}, Bundle: true, Format: api.FormatESModule, Target: api.ESNext,
		MinifyWhitespace: true, MinifySyntax: true, MinifyIdentifiers: true, LegalComments: api.LegalCommentsNone,
		Plugins: []api.Plugin{{Name: "site", Setup: func(b api.PluginBuild) {
			b.OnResolve(api.OnResolveOptions{Filter: `.*`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
				return api.OnResolveResult{Path: strings.TrimPrefix(a.Path, "./"), Namespace: "site"}, nil
			})
			b.OnLoad(api.OnLoadOptions{Filter: `.*`}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
				text := site.File(a.Path)
				if text == nil {
					return api.OnLoadResult{}, fmt.Errorf("the page has no file %s", a.Path)
				}
				inputs = append(inputs, a.Path)
				contents := string(text)
				return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJS}, nil
			})
		}}},
	})
	if err := failure(name, r.Errors); err != nil {
		return nil, nil, err
	}
	return r.OutputFiles[0].Contents, inputs, nil
}

// failure returns the first error of esbuild.
func failure(name string, list []api.Message) error {
	if len(list) == 0 {
		return nil
	}
	if at := list[0].Location; at != nil {
		return fmt.Errorf("%s:%d: %s", strings.TrimPrefix(at.File, "site:"), at.Line, list[0].Text)
	}
	return fmt.Errorf("%s: %s", name, list[0].Text)
}

// quality is the level of Brotli. The last two levels take a minute for the program.
const quality = 9

// WriteBrotli writes each file of a page, compressed by Brotli, into a folder that exists. The names end
// in .br.
func WriteBrotli(site *build.Site, folder string) error {
	for _, name := range site.Names() {
		var b bytes.Buffer
		w := brotli.NewWriterLevel(&b, quality)
		_, _ = w.Write(site.File(name)) // no write to a Buffer fails
		_ = w.Close()
		if err := os.WriteFile(filepath.Join(folder, name+".br"), b.Bytes(), 0o666); err != nil {
			return err
		}
	}
	return nil
}
