package pack_test

import (
	"fmt"

	"github.com/go-election/election/page/build"
	"github.com/go-election/election/page/pack"
)

// A page of two modules becomes a page of one.
func Example() {
	site := new(build.Site).
		With("app.js", []byte(`import { name } from "./name.js"; document.title = name;`)).
		With("name.js", []byte(`export const name = "Elections";`))
	packed, err := pack.Pack(site)
	if err != nil {
		panic(err)
	}
	fmt.Println(packed.Names())
	// Output:
	// [app.js]
}
