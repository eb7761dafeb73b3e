// Package api sends requests to an API server of Kubernetes.
package api

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

// Client sends requests.
type Client struct {
	HTTP      *http.Client
	Namespace string
	server    string // URL
	token     string // file; empty if HTTP authenticates
}

// New returns a Client for the server with a URL such as https://10.0.0.1:6443. If client is nil, http.DefaultClient.
func New(client *http.Client, server, namespace string) *Client {
	if client == nil {
		client = http.DefaultClient
	}
	return &Client{HTTP: client, Namespace: namespace, server: strings.TrimSuffix(server, "/")}
}

// ServiceAccount is the folder in which a pod finds its token, its namespace and the certificate of its API server.
const ServiceAccount = "/var/run/secrets/kubernetes.io/serviceaccount"

// InCluster returns a Client for a pod, with the service account in a folder.
func InCluster(dir string) (*Client, error) {
	host, port := os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return nil, errors.New("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set")
	}
	ca, err := os.ReadFile(dir + "/ca.crt")
	if err != nil {
		return nil, err
	}
	namespace, err := os.ReadFile(dir + "/namespace")
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca) {
		return nil, fmt.Errorf("%s/ca.crt contains no certificate", dir)
	}
	// A TLSClientConfig keeps the client at HTTP/1.1. That is intended: a request that times out then closes its
	// connection, while over HTTP/2 all renewals would hang on one broken connection.
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: pool}, TLSHandshakeTimeout: 10 * time.Second,
		MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute,
	}}
	c := New(client, "https://"+net.JoinHostPort(host, port), strings.TrimSpace(string(namespace)))
	c.token = dir + "/token"
	return c, nil
}

// Do sends a request, and decodes the answer.
func (c *Client) Do(ctx context.Context, method, path, contentType string, body, answer any) error {
	r, err := c.Send(ctx, method, path, contentType, body)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	if err := json.NewDecoder(r.Body).Decode(answer); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	_, _ = io.Copy(io.Discard, r.Body) // so that the connection is used again
	return nil
}

// Send sends a request. It returns an error unless the server reports success. The body is encoded unless it is nil.
func (c *Client) Send(ctx context.Context, method, path, contentType string, body any) (*http.Response, error) {
	var content io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(b)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.server+path, content)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	if body != nil {
		request.Header.Set("Content-Type", contentType)
	}
	if c.token != "" {
		token, err := os.ReadFile(c.token) // for each request: Kubernetes replaces it about once an hour
		if err != nil {
			return nil, err
		}
		request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}
	answer, err := c.HTTP.Do(request)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode == http.StatusOK || answer.StatusCode == http.StatusCreated {
		return answer, nil
	}
	defer answer.Body.Close()
	failed := &statusError{request: method + " " + request.URL.Path, status: answer.Status}
	// Anything but a Status of Kubernetes leaves the reason empty.
	_ = json.NewDecoder(io.LimitReader(answer.Body, 1<<16)).Decode(failed)
	return nil, failed
}

// statusError is an answer that reports a failure.
type statusError struct {
	Reason, Message string
	request, status string
}

func (e *statusError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("%s: %s %s", e.request, e.status, e.Message))
}

// IsReason reports whether an API server gave this reason. A status code without a reason may come from a proxy.
func IsReason(err error, reason string) bool {
	var status *statusError
	return errors.As(err, &status) && status.Reason == reason
}
