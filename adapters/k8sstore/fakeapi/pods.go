package fakeapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// pod is what the emulator knows of a pod.
type pod struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   metadata `json:"metadata"`
}

type metadata struct {
	Name            string            `json:"name"`
	Namespace       string            `json:"namespace"`
	ResourceVersion string            `json:"resourceVersion"`
	Labels          map[string]string `json:"labels,omitempty"`
}

const podPrefix = "/api/v1/namespaces/"

func podPath(namespace, name string) string { return podPrefix + namespace + "/pods/" + name }

// AddPod creates a pod, or replaces it by a new one.
func (s *Server) AddPod(namespace, name string, labels map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	s.pods[podPath(namespace, name)] = &pod{"v1", "Pod", metadata{name, namespace, strconv.Itoa(s.version), maps.Clone(labels)}}
}

// Pods returns the names of the pods of a namespace that have all these labels, in order. A Service selects pods so.
func (s *Server) Pods(namespace string, labels map[string]string) (names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.selected(namespace, labels) {
		names = append(names, p.Metadata.Name)
	}
	return names
}

func (s *Server) selected(namespace string, labels map[string]string) (pods []*pod) {
	for _, path := range slices.Sorted(maps.Keys(s.pods)) {
		p := s.pods[path]
		fits := p.Metadata.Namespace == namespace
		for key, value := range labels {
			got, ok := p.Metadata.Labels[key]
			fits = fits && ok && got == value
		}
		if fits {
			pods = append(pods, p)
		}
	}
	return pods
}

// answerPods carries out a request about pods.
func (s *Server) answerPods(w http.ResponseWriter, r *http.Request) (code int, body any) {
	namespace, name, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, podPrefix), "/pods")
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case ok && name == "" && r.Method == http.MethodGet:
		labels := make(map[string]string)
		for term := range strings.SplitSeq(r.URL.Query().Get("labelSelector"), ",") {
			key, value, ok := strings.Cut(term, "=")
			if !ok {
				return failure{http.StatusBadRequest, "BadRequest", "the emulator selects by KEY=VALUE"}.answer()
			}
			labels[key] = value
		}
		return http.StatusOK, map[string]any{"apiVersion": "v1", "kind": "PodList", "items": s.selected(namespace, labels)}
	case ok && name != "" && r.Method == http.MethodPatch:
		return s.patch(w, r)
	}
	return missing.answer()
}

// patch carries out a merge patch of labels.
func (s *Server) patch(w http.ResponseWriter, r *http.Request) (code int, body any) {
	if r.Header.Get("Content-Type") != "application/merge-patch+json" {
		return failure{http.StatusUnsupportedMediaType, "UnsupportedMediaType", "the emulator reads merge patches only"}.answer()
	}
	var change struct {
		Metadata struct {
			ResourceVersion string
			Labels          map[string]*string
		}
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, manyAtOnce))
	d.DisallowUnknownFields()
	if err := d.Decode(&change); err != nil {
		return failure{http.StatusBadRequest, "BadRequest", fmt.Sprint("no patch of labels: ", err)}.answer()
	}
	p, ok := s.pods[r.URL.Path]
	if !ok {
		return missing.answer()
	}
	if v := change.Metadata.ResourceVersion; v != "" && v != p.Metadata.ResourceVersion {
		return failure{http.StatusConflict, "Conflict", "the object has been modified; please apply your changes to the " +
			"latest version and try again"}.answer()
	}
	next := maps.Clone(p.Metadata.Labels)
	if next == nil {
		next = make(map[string]string)
	}
	for key, value := range change.Metadata.Labels {
		if value == nil {
			delete(next, key)
		} else {
			next[key] = *value
		}
	}
	if !maps.Equal(next, p.Metadata.Labels) {
		changed := *p // another request may be encoding the pod before
		s.version++
		changed.Metadata.Labels, changed.Metadata.ResourceVersion = next, strconv.Itoa(s.version)
		s.pods[r.URL.Path], p = &changed, &changed
	}
	return http.StatusOK, p
}
