package s3store

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-election/election/store"
	"github.com/go-election/election/store/storetest"
)

func fixed(context.Context) (Credentials, error) {
	return Credentials{AccessKeyID: "AKIAIOSFODNN7EXAMPLE",
		SecretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"}, nil
}

func TestConformance(t *testing.T) {
	server := serve(t)
	s := open(t, server.Address, nil)
	storetest.Test(t, func(_ context.Context, address string) (store.Store, func() error, error) {
		return open(t, address, nil), nil, nil
	}, storetest.Options{Address: server.Address, Delete: func(ctx context.Context, key string) error {
		_, err := s.send(ctx, http.MethodDelete, key, nil, nil)
		if f, ok := errors.AsType[*failure](err); ok && strings.HasPrefix(f.status, "204") {
			return nil
		}
		return err
	}})
}

// TestSign compares with the example for PUT in the documentation of AWS.
func TestSign(t *testing.T) {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut,
		"https://examplebucket.s3.amazonaws.com/test$file.text", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Date", "Fri, 24 May 2013 00:00:00 GMT")
	r.Header.Set("X-Amz-Storage-Class", "REDUCED_REDUNDANCY")
	c, _ := fixed(t.Context())
	sign(r, []byte("Welcome to Amazon S3."), c, "us-east-1", time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC))
	const want = "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
	if got := r.Header.Get("Authorization"); !strings.HasSuffix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
	if got := r.URL.String(); got != "https://examplebucket.s3.amazonaws.com/test%24file.text" {
		t.Errorf("%s is sent", got)
	}
}

// answers is a server of S3 that gives these answers, one after another.
type answers []struct {
	status     int
	code, etag string
}

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	next := (*a)[0]
	*a = (*a)[1:]
	w.Header().Set("ETag", next.etag)
	w.WriteHeader(next.status)
	if next.code != "" {
		fmt.Fprintf(w, "<Error><Code>%s</Code></Error>", next.code)
	}
	answer := w.Result()
	answer.Request = r
	return answer, nil
}

// TestAnswers: only an answer of S3 itself is ErrAbsent or ErrConflict, and a write is repeated if another one was in
// progress.
func TestAnswers(t *testing.T) {
	busy, refused := answers{{409, "ConditionalRequestConflict", ""}}, answers{{412, "PreconditionFailed", ""}}
	for _, c := range []struct {
		name     string
		answers  answers
		get, put error // nil: any other error
		written  bool
	}{
		{name: "absent", answers: answers{{404, "NoSuchKey", ""}}, get: store.ErrAbsent, put: store.ErrConflict},
		{name: "no bucket", answers: answers{{404, "NoSuchBucket", ""}}},
		{name: "a proxy", answers: answers{{404, "", ""}}},
		{name: "a proxy's condition", answers: answers{{412, "", ""}}},
		{name: "refused", answers: refused, put: store.ErrConflict},
		{name: "no tag", answers: answers{{200, "", ""}}},
		{name: "busy", answers: append(busy, answers{{200, "", `"2"`}}...), written: true},
		{name: "busy, then refused", answers: append(busy, refused...), put: store.ErrConflict},
		{name: "busy for long", answers: append(append(busy, busy...), append(busy, busy...)...)},
	} {
		synctest.Test(t, func(t *testing.T) {
			again := append(answers(nil), c.answers...)
			open := func(a *answers) *Store {
				s, err := New(Config{Bucket: "http://s3/bucket", Credentials: fixed, Client: &http.Client{Transport: a}})
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			_, _, err := open(&c.answers).Get(t.Context(), "key")
			if err == nil || errors.Is(err, store.ErrAbsent) != (c.get != nil) {
				t.Errorf("%s: Get returns %v", c.name, err)
			}
			written, err := open(&again).Put(t.Context(), "key", nil, `"1"`)
			if c.written != (err == nil) || c.written != (written == `"2"`) ||
				errors.Is(err, store.ErrConflict) != (c.put != nil) {
				t.Errorf("%s: Put returns %q, %v", c.name, written, err)
			}
		})
	}
}

// TestConfig: a mistake is reported.
func TestConfig(t *testing.T) {
	for _, bucket := range []string{"", "bucket", "s3://bucket", "https://", "https://host/bucket?a=b", "https://host/%zz"} {
		if _, err := New(Config{Bucket: bucket}); err == nil || !strings.Contains(err.Error(), "Bucket") {
			t.Errorf("%q: %v", bucket, err)
		}
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	s, err := New(Config{Bucket: "https://host/bucket"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Get(t.Context(), "key"); err == nil || !strings.Contains(err.Error(), "AWS_ACCESS_KEY_ID") {
		t.Error(err)
	}
}

// TestObject: keys are kept apart, and no part of a path is empty, . or ..
func TestObject(t *testing.T) {
	if got := object("election/orders-1.a"); got != "election/orders-1.a" {
		t.Error(got)
	}
	seen := make(map[string]string)
	for _, key := range []string{"", "=", "/", "//", "a//b", "a/b", "a/", "/a", ".", "..", "a/../b", "a/.b", "a=2Fb",
		"ä", "a b", "%2F"} {
		name := object(key)
		if other, ok := seen[name]; ok {
			t.Errorf("%q and %q are both %s", key, other, name)
		}
		seen[name] = key
		u, err := url.Parse("http://host/" + name)
		if err != nil || u.JoinPath().Path != "/"+name {
			t.Errorf("%q: %s becomes %v, %v", key, name, u, err)
		}
	}
}
