package build_test

import (
	"fmt"
	"net/http/httptest"

	"github.com/go-election/election/page/build"
)

// A page as a browser gets it.
func Example() {
	site := new(build.Site).With("index.html", []byte("<title>Elections</title>"))
	w := httptest.NewRecorder()
	build.Handler(site).ServeHTTP(w, httptest.NewRequest("GET", "http://localhost/", nil))
	fmt.Println(w.Code, w.Header().Get("Content-Type"))
	fmt.Println(w.Body)
	// Output:
	// 200 text/html; charset=utf-8
	// <title>Elections</title>
}
