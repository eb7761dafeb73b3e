// Package fakeapi emulates the parts of a Kubernetes API server that keep Leases and the labels of pods, for tests. It
// keeps them in memory.
//
//	server := httptest.NewServer(fakeapi.New())
//	s := k8sstore.New(nil, server.URL, "default")
//
// As a real one does, and unlike the fake clientset of client-go, it compares the resourceVersion and the uid of each
// update. It reads and writes JSON only: set ContentType of a rest.Config to "application/json".
package fakeapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Server is an [http.Handler] that serves create, get, update, delete and watch of Leases, and list and patch of the
// labels of pods, in any namespace.
type Server struct {
	mu      sync.Mutex
	version int
	leases  map[string]lease // by the path of the URL
	pods    map[string]*pod  // by the path of the URL
	changes []change
	changed chan struct{} // closed at the next change
}

// New returns a Server without Leases and pods.
func New() *Server {
	return &Server{leases: make(map[string]lease), pods: make(map[string]*pod), changed: make(chan struct{})}
}

type lease struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   map[string]any `json:"metadata"`
	Spec       map[string]any `json:"spec"`
}

// change is an event of a watch.
type change struct {
	path    string
	version int
	Type    string `json:"type"`
	Object  lease  `json:"object"`
}

const (
	prefix     = "/apis/coordination.k8s.io/v1/namespaces/"
	largest    = 256 << 10 // bytes of all annotations
	manyAtOnce = 3 << 20   // bytes of a request, as etcd's default
)

var validName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

// failure is the answer to a request that fails.
type failure struct {
	code            int
	reason, message string
}

func (f failure) answer() (code int, body any) {
	return f.code, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": f.code,
		"reason": f.reason, "message": f.message, "metadata": map[string]any{}}
}

var missing = failure{http.StatusNotFound, "NotFound", "not found"}

// ServeHTTP answers a request about Leases or pods.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/leases") && r.URL.Query().Has("watch") {
		s.watch(w, r)
		return
	}
	code, body := s.answer(w, r)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body)
}

// answer carries out a request that ends.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) (code int, body any) {
	if strings.HasPrefix(r.URL.Path, podPrefix) {
		return s.answerPods(w, r)
	}
	rest, ok := strings.CutPrefix(r.URL.Path, prefix)
	namespace, rest, ok2 := strings.Cut(rest, "/leases")
	name := strings.TrimPrefix(rest, "/")
	if !ok || !ok2 || strings.Contains(name, "/") {
		return missing.answer()
	}
	switch {
	case name == "" && r.Method == http.MethodPost, name != "" && r.Method == http.MethodPut:
		return s.write(w, r, namespace, name)
	case name != "" && r.Method == http.MethodGet:
		s.mu.Lock()
		defer s.mu.Unlock()
		if l, ok := s.leases[r.URL.Path]; ok {
			return http.StatusOK, l
		}
		return missing.answer()
	case name != "" && r.Method == http.MethodDelete:
		return s.delete(r.URL.Path)
	}
	return failure{http.StatusMethodNotAllowed, "MethodNotAllowed", "the emulator does not do that"}.answer()
}

// write creates or replaces a Lease. The name is empty in a POST.
func (s *Server) write(w http.ResponseWriter, r *http.Request, namespace, name string) (code int, body any) {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		return failure{http.StatusUnsupportedMediaType, "UnsupportedMediaType", "the emulator reads JSON only"}.answer()
	}
	var l lease
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, manyAtOnce)).Decode(&l); err != nil || l.Metadata == nil {
		return failure{http.StatusBadRequest, "BadRequest", fmt.Sprint("no Lease: ", err)}.answer()
	}
	own, _ := l.Metadata["name"].(string)
	if name != "" && name != own {
		return failure{http.StatusBadRequest, "BadRequest", "the name differs from the name in the URL"}.answer()
	}
	if wrong := invalid(&l, own); wrong != "" {
		return failure{http.StatusUnprocessableEntity, "Invalid", wrong}.answer()
	}
	path := prefix + namespace + "/leases/" + own
	uid, _ := l.Metadata["uid"].(string)
	version, _ := l.Metadata["resourceVersion"].(string)
	s.mu.Lock()
	defer s.mu.Unlock()
	old, exists := s.leases[path]
	if why := refuse(old, exists, r.Method, uid, version); why.code != 0 {
		return why.answer()
	}
	code, kind := http.StatusOK, "MODIFIED"
	l.APIVersion, l.Kind, l.Metadata["namespace"] = "coordination.k8s.io/v1", "Lease", namespace
	if exists {
		l.Metadata["uid"], l.Metadata["creationTimestamp"] = old.Metadata["uid"], old.Metadata["creationTimestamp"]
	} else {
		code, kind = http.StatusCreated, "ADDED"
		l.Metadata["uid"] = fmt.Sprintf("00000000-0000-4000-8000-%012d", s.version+1)
		l.Metadata["creationTimestamp"] = time.Now().UTC().Format(time.RFC3339)
	}
	s.publish(path, kind, &l)
	s.leases[path] = l
	return code, l
}

// refuse returns why a write is refused. Its code is zero if the write is accepted.
func refuse(old lease, exists bool, method, uid, version string) failure {
	switch {
	case method == http.MethodPost && version != "":
		return failure{http.StatusInternalServerError, "InternalError", "resourceVersion should not be set on objects " +
			"to be created"}
	case method == http.MethodPost && exists:
		return failure{http.StatusConflict, "AlreadyExists", "the Lease already exists"}
	case method == http.MethodPost, !exists && uid == "":
		return failure{} // a PUT creates a Lease that does not exist, whatever its resourceVersion
	case uid != "" && old.Metadata["uid"] != uid:
		return failure{http.StatusConflict, "Conflict", "the uid is another one"}
	case version == "":
		return failure{http.StatusUnprocessableEntity, "Invalid", "metadata.resourceVersion: must be specified for an update"}
	case old.Metadata["resourceVersion"] != version:
		return failure{http.StatusConflict, "Conflict", "the object has been modified; please apply your changes to the " +
			"latest version and try again"}
	}
	return failure{}
}

// invalid returns what is wrong with a Lease.
func invalid(l *lease, name string) string {
	size := 0
	annotations, _ := l.Metadata["annotations"].(map[string]any)
	for key, value := range annotations {
		text, _ := value.(string)
		size += len(key) + len(text)
	}
	seconds, set := l.Spec["leaseDurationSeconds"].(float64)
	switch {
	case len(name) > 253 || !validName.MatchString(name):
		return fmt.Sprintf("metadata.name: Invalid value: %.60q", name)
	case size > largest:
		return fmt.Sprintf("metadata.annotations: Too long: must have at most %d bytes", largest)
	case set && seconds <= 0:
		return "spec.leaseDurationSeconds: must be greater than 0"
	}
	return ""
}

func (s *Server) delete(path string) (code int, body any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.leases[path]
	if !ok {
		return missing.answer()
	}
	delete(s.leases, path)
	l.Metadata = maps.Clone(l.Metadata)
	s.publish(path, "DELETED", &l)
	return http.StatusOK, map[string]string{"kind": "Status", "apiVersion": "v1", "status": "Success"}
}

// publish gives a Lease the next version and reports the change to all who watch.
func (s *Server) publish(path, kind string, l *lease) {
	s.version++
	l.Metadata["resourceVersion"] = strconv.Itoa(s.version)
	s.changes = append(s.changes, change{path, s.version, kind, *l})
	close(s.changed)
	s.changed = make(chan struct{})
}

// watch sends changes until the client is gone. If the client names no version, the present Lease comes first.
func (s *Server) watch(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	name, one := strings.CutPrefix(q.Get("fieldSelector"), "metadata.name=")
	since, err := strconv.Atoi(q.Get("resourceVersion"))
	path := r.URL.Path + "/" + name
	if !one {
		http.Error(w, "the emulator watches one Lease: fieldSelector=metadata.name=NAME", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	out, flush := json.NewEncoder(w), http.NewResponseController(w)
	s.mu.Lock()
	next := len(s.changes)
	var news []change
	if err != nil || since == 0 {
		if l, ok := s.leases[path]; ok {
			news = append(news, change{path: path, Type: "ADDED", Object: l})
		}
	} else {
		for next = 0; next < len(s.changes) && s.changes[next].version <= since; {
			next++
		}
	}
	for {
		news = append(news, s.changes[next:]...)
		next = len(s.changes)
		changed := s.changed
		s.mu.Unlock()
		for _, c := range news {
			if c.path == path && out.Encode(c) != nil {
				return
			}
		}
		news = nil
		_ = flush.Flush()
		select {
		case <-r.Context().Done():
			return
		case <-changed:
		}
		s.mu.Lock()
	}
}
