//go:build embedpage

package build

import (
	"embed"
	"io/fs"
)

// built is the page that make page has written here.
//
//go:embed site/*.gz
var built embed.FS

// Embedded returns the page that this program holds, nil if it is built without one.
func Embedded() *Site {
	folder, err := fs.Sub(built, "site")
	if err != nil {
		return nil
	}
	site, err := load(folder)
	if err != nil {
		return nil
	}
	return site
}
