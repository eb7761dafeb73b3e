package s3store

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// sign signs a request without a query by version 4 of the signatures of AWS. All headers are signed, so that a proxy
// cannot remove a condition unnoticed.
func sign(r *http.Request, body []byte, c Credentials, region string, now time.Time) {
	sum := sha256.Sum256(body)
	at := now.UTC().Format("20060102T150405Z")
	day := at[:8]
	r.Header.Set("X-Amz-Date", at)
	r.Header.Set("X-Amz-Content-Sha256", hex.EncodeToString(sum[:]))
	if c.SessionToken != "" {
		r.Header.Set("X-Amz-Security-Token", c.SessionToken)
	}
	values := map[string]string{"host": r.URL.Host}
	for name := range r.Header {
		values[strings.ToLower(name)] = r.Header.Get(name)
	}
	names := slices.Sorted(maps.Keys(values))
	var canonical strings.Builder
	fmt.Fprintf(&canonical, "%s\n%s\n\n", r.Method, escape(r.URL.Path))
	for _, name := range names {
		fmt.Fprintf(&canonical, "%s:%s\n", name, strings.TrimSpace(values[name]))
	}
	signed := strings.Join(names, ";")
	fmt.Fprintf(&canonical, "\n%s\n%x", signed, sum)

	scope := day + "/" + region + "/s3/aws4_request"
	text := fmt.Sprintf("AWS4-HMAC-SHA256\n%s\n%s\n%x", at, scope, sha256.Sum256([]byte(canonical.String())))
	key := []byte("AWS4" + c.SecretAccessKey)
	for _, part := range []string{day, region, "s3", "aws4_request"} {
		key = mac(key, part)
	}
	r.Header.Set("Authorization", fmt.Sprintf("AWS4-HMAC-SHA256 Credential=%s/%s,SignedHeaders=%s,Signature=%x",
		c.AccessKeyID, scope, signed, mac(key, text)))
	// What is sent must be the path that was signed.
	r.URL.RawPath = escape(r.URL.Path)
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// escape encodes a path as AWS does: all bytes but letters, digits and -_.~/
func escape(path string) string {
	var b strings.Builder
	for i := range len(path) {
		switch c := path[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-_.~/", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}
