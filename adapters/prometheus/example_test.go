package prometheus_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/go-election/election/adapters/prometheus"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/store/memstore"
)

// A program serves the metrics of a member together with its own.
func Example() {
	e, err := elector.New(elector.Config{Group: "orders", Self: "a", Store: memstore.New()})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	registry := client.NewRegistry() // or client.DefaultRegisterer
	registry.MustRegister(prometheus.New(e))
	handler := promhttp.HandlerFor(registry, promhttp.HandlerOpts{})

	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	for line := range strings.Lines(w.Body.String()) {
		if strings.HasPrefix(line, "election_is_leader") {
			fmt.Print(line)
		}
	}
	// Output: election_is_leader{group="orders",member="a"} 0
}
