//go:build unix

package consultest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/internal/grouptest"
)

// TestSessions: a lock of Consul itself cannot change hands soon. Sessions with a TTL of less than 10 seconds are
// refused, and when a session ends, nobody else gets its lock for a while.
func TestSessions(t *testing.T) {
	server := grouptest.Serve(t)
	put := func(path, body string) (int, string) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, "http://"+server.Address+"/v1/"+path,
			strings.NewReader(body))
		require.NoError(t, err)
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return answer.StatusCode, string(bytes.TrimSpace(text))
	}
	session := func() string {
		code, text := put("session/create", `{"TTL":"10s"}`)
		require.Equal(t, http.StatusOK, code, text)
		var created struct{ ID string }
		require.NoError(t, json.Unmarshal([]byte(text), &created))
		return created.ID
	}
	code, text := put("session/create", `{"TTL":"9s"}`)
	require.NotEqual(t, http.StatusOK, code)
	require.Contains(t, text, "Session TTL")

	first, second := session(), session()
	for _, step := range []struct{ path, answer string }{
		{"kv/lock?acquire=" + first, "true"},
		{"kv/lock?acquire=" + second, "false"},
		{"kv/lock?release=" + first, "true"},
		{"kv/lock?acquire=" + second, "true"}, // immediately, as the first one has released it
		{"session/destroy/" + second, "true"},
		{"kv/lock?acquire=" + first, "false"}, // although nobody has it
	} {
		code, text := put(step.path, "")
		require.Equal(t, http.StatusOK, code, text)
		require.Equal(t, step.answer, text, step.path)
	}
	answer, err := http.Get("http://" + server.Address + "/v1/kv/lock")
	require.NoError(t, err)
	defer answer.Body.Close()
	var found []struct{ Session string }
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&found))
	require.Len(t, found, 1)
	require.Empty(t, found[0].Session)
}
