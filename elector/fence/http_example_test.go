package fence_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/go-election/election/elector/fence"
)

// A server that remembers tokens, and two leaders that write to it.
func Example_http() {
	var guard fence.Guard
	database := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("written by", r.Header.Get(fence.Header))
	})
	server := httptest.NewServer(fence.Handler(&guard, database))
	defer server.Close()

	write := func(token uint64) { // a leader has it from term.Token()
		request, err := http.NewRequest(http.MethodPost, server.URL, http.NoBody)
		if err != nil {
			panic(err)
		}
		fence.Set(request, token)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			panic(err)
		}
		defer response.Body.Close()
		fmt.Println(response.StatusCode)
	}
	write(7)
	write(6)
	// Output:
	// written by 7
	// 200
	// 412
}
