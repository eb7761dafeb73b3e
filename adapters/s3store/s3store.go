package s3store

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/go-election/election/store"
)

// Config configures a Store.
type Config struct {
	// Bucket is the URL of a bucket, and of a folder in it if you like. The bucket may be in the host, as AWS wishes, or
	// the first part of the path, as most other servers need.
	Bucket string
	Region string // if empty, us-east-1
	// Credentials returns what requests are signed with. It is called for each request. If nil, the variables
	// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. With the SDK of AWS:
	//
	//	func(ctx context.Context) (s3store.Credentials, error) {
	//		c, err := config.Credentials.Retrieve(ctx)
	//		return s3store.Credentials{AccessKeyID: c.AccessKeyID, SecretAccessKey: c.SecretAccessKey,
	//			SessionToken: c.SessionToken}, err
	//	}
	Credentials func(ctx context.Context) (Credentials, error)
	Client      *http.Client // if nil, http.DefaultClient
}

// Credentials sign a request.
type Credentials struct {
	AccessKeyID, SecretAccessKey string
	SessionToken                 string // empty for keys that do not expire
}

func fromEnvironment(context.Context) (Credentials, error) {
	c := Credentials{os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"),
		os.Getenv("AWS_SESSION_TOKEN")}
	if c.AccessKeyID == "" || c.SecretAccessKey == "" {
		return c, errors.New("AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY is not set")
	}
	return c, nil
}

// Store keeps each value in an object. It implements [store.Store].
type Store struct {
	c      Config
	bucket *url.URL
}

// New returns a Store. It sends no request.
func New(c Config) (*Store, error) {
	u, err := url.Parse(strings.TrimSuffix(c.Bucket, "/"))
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("s3store: Bucket: %.60q is not the URL of a bucket", c.Bucket)
	}
	if c.Region == "" {
		c.Region = "us-east-1"
	}
	if c.Credentials == nil {
		c.Credentials = fromEnvironment
	}
	if c.Client == nil {
		c.Client = http.DefaultClient
	}
	return &Store{c, u}, nil
}

// Get reads an object.
func (s *Store) Get(ctx context.Context, key string) ([]byte, string, error) {
	r, err := s.send(ctx, http.MethodGet, key, nil, nil)
	if isCode(err, "NoSuchKey") {
		return nil, "", fmt.Errorf("%w: %w", store.ErrAbsent, err)
	} else if err != nil {
		return nil, "", err
	}
	defer r.Body.Close()
	value, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, "", fmt.Errorf("s3store: %w", err)
	}
	tag, err := tagOf(r)
	return value, tag, err
}

// Put writes an object whose ETag is the revision.
func (s *Store) Put(ctx context.Context, key string, value []byte, revision string) (string, error) {
	condition := http.Header{"If-None-Match": {"*"}}
	if revision != "" {
		condition = http.Header{"If-Match": {revision}}
	}
	r, err := s.send(ctx, http.MethodPut, key, value, condition)
	for range 3 {
		// Another write was in progress, and this one was not carried out. It may still be the right one.
		if !isCode(err, "ConditionalRequestConflict") || sleep(ctx, 20*time.Millisecond) != nil {
			break
		}
		r, err = s.send(ctx, http.MethodPut, key, value, condition)
	}
	switch {
	case isCode(err, "PreconditionFailed"), revision != "" && isCode(err, "NoSuchKey"):
		return "", fmt.Errorf("%w: %w", store.ErrConflict, err)
	case err != nil:
		return "", err
	}
	defer r.Body.Close()
	return tagOf(r)
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func tagOf(r *http.Response) (string, error) {
	tag := r.Header.Get("ETag")
	if tag == "" {
		return "", fmt.Errorf("s3store: %s: the answer has no ETag", r.Request.URL)
	}
	return tag, nil
}

// failure is an answer that reports a failure.
type failure struct {
	Code, Message string
	request       string
	status        string
}

func (f *failure) Error() string {
	return strings.TrimSpace(fmt.Sprintf("s3store: %s: %s %s %s", f.request, f.status, f.Code, f.Message))
}

// isCode reports whether S3 gave this reason. A status without a reason may come from a proxy.
func isCode(err error, code string) bool {
	var f *failure
	return errors.As(err, &f) && f.Code == code
}

// send sends a request. It returns an error unless the answer reports success.
func (s *Store) send(ctx context.Context, method, key string, value []byte, header http.Header) (*http.Response, error) {
	credentials, err := s.c.Credentials(ctx)
	if err != nil {
		return nil, fmt.Errorf("s3store: credentials: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, method, s.bucket.String()+"/"+object(key), bytes.NewReader(value))
	if err != nil {
		return nil, fmt.Errorf("s3store: %w", err)
	}
	if header != nil {
		request.Header = header.Clone()
	}
	sign(request, value, credentials, s.c.Region, time.Now())
	request.Header.Set("Accept-Encoding", "identity") // an ETag is another one for compressed answers
	answer, err := s.c.Client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("s3store: %w", err)
	}
	if answer.StatusCode == http.StatusOK {
		return answer, nil
	}
	defer answer.Body.Close()
	f := &failure{request: method + " " + request.URL.Path, status: answer.Status}
	// Anything but an error of S3 leaves the code empty.
	_ = xml.NewDecoder(io.LimitReader(answer.Body, 1<<16)).Decode(f)
	return nil, f
}

// object returns the name of the object of a key. It contains letters, digits and -_./= only, and neither a part of a
// path that servers change nor an empty one.
func object(key string) string {
	var name strings.Builder
	begins := true // a part of the path
	for i := range len(key) {
		c := key[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_',
			c == '.' && !begins, c == '/' && !begins && i < len(key)-1:
			name.WriteByte(c)
		default:
			fmt.Fprintf(&name, "=%02X", c)
		}
		begins = c == '/'
	}
	if name.Len() == 0 {
		return "="
	}
	return name.String()
}
