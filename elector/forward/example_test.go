package forward_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/elector/forward"
	"github.com/go-election/election/store/memstore"
)

// Two members of a group, and a client that asks both.
func Example() {
	ctx, stop := context.WithCancel(context.Background())
	shared := memstore.New()
	var servers []*httptest.Server
	for _, name := range []string{"a", "b"} {
		server := httptest.NewUnstartedServer(nil)
		server.Start() // its address is known now
		defer server.Close()
		servers = append(servers, server)
		e, err := elector.New(elector.Config{Group: "orders", Self: name, Store: shared, Advertise: server.URL})
		if err != nil {
			panic(err)
		}
		server.Config.Handler = &forward.Handler{Elector: e, Handler: http.HandlerFunc(
			func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprint(w, "handled by the leader: ", elector.TermOf(r.Context()).Token() > 0)
			})}
		ended := make(chan error)
		go func() {
			ended <- e.Run(ctx, func(ctx context.Context, _ elector.Term) error {
				<-ctx.Done() // here the leader works
				return nil
			})
		}()
		defer func() { <-ended }()
	}
	defer stop()
	for _, server := range servers {
		response, err := http.Get(server.URL)
		if err != nil {
			panic(err)
		}
		text, _ := io.ReadAll(response.Body)
		response.Body.Close()
		fmt.Println(string(text))
	}
	http.DefaultClient.CloseIdleConnections()
	// Output:
	// handled by the leader: true
	// handled by the leader: true
}
