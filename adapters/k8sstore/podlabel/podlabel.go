// Package podlabel labels the pod of the leader, so that a Service of Kubernetes sends requests to the leader. It needs
// no client-go, and works for groups with members as well as with a store.
//
//	l, err := podlabel.InCluster("orders", podName)
//	...
//	err = l.Clear(ctx) // removes what a crashed process of this pod has left behind
//	...
//	err = e.Run(ctx, l.While(work))
//
// The Service has this selector, and each pod is ready whether it leads or not:
//
//	selector: {app: orders, go-election.github.io/leader: orders}
//
// The service account needs the verbs list and patch for the resource pods. RBAC cannot restrict patch to labels, but to
// the names of pods. examples/kubernetes has a Role for the pods of a StatefulSet.
//
// # Guarantees
//
// The label is a hint for routing. A leader labels its pod when its work starts, and removes the label as soon as the
// context of the work ends, which is Times.Stop before the lease expires. The work is neither started later nor
// stopped if the API server is slow or away. The label then lags behind, and so do, by a second or more, the endpoints
// of a Service in any case. So a pod must answer or forward requests that reach it while it does not lead, and
// writes need [elector.Term.Token].
//
// A label that is left behind, since a process has crashed or the API server was away, is removed by the process that
// starts in the pod, if it calls [Label.Clear], or by the next leader: every ten seconds each leader removes the label
// from other pods, and restores its own.
package podlabel

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"sync"
	"time"

	"github.com/go-election/election/adapters/k8sstore/internal/api"
	"github.com/go-election/election/elector"
)

// Label is the label of one pod and group. Set its fields before it is used.
type Label struct {
	// Key is the key of the label; its value is the group. If empty, go-election.github.io/leader. A pod that is a member of
	// several groups needs a Key for each.
	Key string
	Log *slog.Logger // of what the API server refuses. If nil, nothing is logged

	api        *api.Client
	group, pod string

	mu  sync.Mutex
	end context.CancelFunc // ends the removal after the last Term
}

const (
	refresh  = 10 * time.Second // how often a leader compares the labels
	again    = time.Second      // the pause after a failure
	patience = 5 * time.Second  // for one request
	removal  = time.Minute      // for how long a removal is tried again
)

// value matches the values that labels may have.
var value = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`)

// InCluster returns the Label of a group for the pod in which this process runs, with its service account. The name
// of the pod is metadata.name in the downward API, and the name of the host by default.
func InCluster(group, pod string) (*Label, error) {
	c, err := api.InCluster(api.ServiceAccount)
	if err != nil {
		return nil, fmt.Errorf("podlabel: %w", err)
	}
	return newLabel(c, group, pod)
}

// New returns the Label of a group for a pod in a namespace. The client authenticates and trusts the server, whose
// URL is a base such as https://10.0.0.1:6443. If client is nil, http.DefaultClient.
func New(client *http.Client, server, namespace, group, pod string) (*Label, error) {
	return newLabel(api.New(client, server, namespace), group, pod)
}

func newLabel(c *api.Client, group, pod string) (*Label, error) {
	if !value.MatchString(group) {
		return nil, fmt.Errorf("podlabel: the group %.60q cannot be the value of a label", group)
	}
	if pod == "" {
		return nil, errors.New("podlabel: the pod has no name")
	}
	return &Label{api: c, group: group, pod: pod}, nil
}

// Clear removes the label from this pod. Call it before the member runs. If the API server cannot be reached or refuses,
// it returns an error, which need not keep the program from running: the label is only a hint.
func (l *Label) Clear(ctx context.Context) error {
	l.only(nil)
	if _, err := l.labeled(ctx); err != nil { // so that missing rights are noticed at the start
		return err
	}
	return l.patch(ctx, l.pod, nil, "")
}

// While returns work for [elector.Elector.Run] that labels the pod while it leads. When the context of the work has
// ended and the work has returned, it waits for the removal of the label for at most half of the time that is left of
// the lease. A removal that fails is repeated for a minute, unless this member leads again.
func (l *Label) While(work func(context.Context, elector.Term) error) func(context.Context, elector.Term) error {
	return func(ctx context.Context, term elector.Term) error {
		after, end := context.WithCancel(context.Background())
		l.only(end) // before this member leads again
		leads, stop := context.WithCancel(ctx)
		removed := make(chan struct{})
		go func() {
			defer close(removed)
			l.keep(leads)
			l.remove(after)
		}()
		defer func() { // also if work panics
			stop()
			late := time.NewTimer(term.Left() / 2)
			defer late.Stop()
			select {
			case <-removed:
			case <-late.C:
			}
		}()
		return work(ctx, term)
	}
}

// only ends the removal after an earlier Term, and keeps how to end the next one.
func (l *Label) only(end context.CancelFunc) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.end != nil {
		l.end()
	}
	l.end = end
}

// keep keeps the label at this pod and no other one until ctx ends.
func (l *Label) keep(ctx context.Context) {
	said := ""
	for ctx.Err() == nil {
		pause, err := refresh, l.compare(ctx)
		if err != nil && ctx.Err() == nil {
			pause = again
			if err.Error() != said {
				l.warn("the label of the leader is not as it should be", err)
			}
			said = err.Error()
		} else {
			said = ""
		}
		sleep(ctx, pause)
	}
}

// remove removes the label from this pod, and tries again if that fails.
func (l *Label) remove(ctx context.Context) {
	ctx, end := context.WithTimeout(ctx, removal)
	defer end()
	for said := false; ; sleep(ctx, again) {
		err := l.patch(ctx, l.pod, nil, "")
		if err == nil || ctx.Err() != nil {
			return
		}
		if !said {
			l.warn("the label of the leader is not removed", err)
		}
		said = true
	}
}

func (l *Label) warn(text string, err error) {
	if l.Log != nil {
		l.Log.Warn(text, "group", l.group, "pod", l.pod, "err", err)
	}
}

// sleep returns after a duration, or when ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	ctx, end := context.WithTimeout(ctx, d)
	defer end()
	<-ctx.Done()
}

// compare removes the label from other pods, and adds it to this one.
func (l *Label) compare(ctx context.Context) error {
	pods, err := l.labeled(ctx)
	if err != nil {
		return err
	}
	var failed []error
	for pod, version := range pods {
		if pod != l.pod {
			// Names the version, so that a former leader with an old list does not remove the label of the next.
			failed = append(failed, l.patch(ctx, pod, nil, version))
		}
	}
	if _, ok := pods[l.pod]; !ok {
		failed = append(failed, l.patch(ctx, l.pod, &l.group, ""))
	}
	return errors.Join(failed...)
}

func (l *Label) key() string {
	if l.Key == "" {
		return "go-election.github.io/leader"
	}
	return l.Key
}

func (l *Label) path() string {
	return "/api/v1/namespaces/" + url.PathEscape(l.api.Namespace) + "/pods"
}

type metadata struct {
	Name            string             `json:"name,omitempty"`
	ResourceVersion string             `json:"resourceVersion,omitempty"`
	Labels          map[string]*string `json:"labels,omitempty"`
}

// labeled returns the pods that have the label, and the version of each.
func (l *Label) labeled(ctx context.Context) (map[string]string, error) {
	var list struct {
		Items []struct {
			Metadata metadata `json:"metadata"`
		} `json:"items"`
	}
	query := url.Values{"labelSelector": {l.key() + "=" + l.group}}
	if err := l.do(ctx, "list", http.MethodGet, l.path()+"?"+query.Encode(), "", nil, &list); err != nil {
		return nil, err
	}
	pods := make(map[string]string)
	for _, item := range list.Items {
		pods[item.Metadata.Name] = item.Metadata.ResourceVersion
	}
	return pods, nil
}

// patch sets the label of a pod, or removes it. With a version, it fails if the pod has changed since. A pod that does
// not exist has no label.
func (l *Label) patch(ctx context.Context, pod string, to *string, version string) error {
	body := map[string]metadata{"metadata": {ResourceVersion: version, Labels: map[string]*string{l.key(): to}}}
	err := l.do(ctx, "patch", http.MethodPatch, l.path()+"/"+url.PathEscape(pod), "application/merge-patch+json", body,
		new(struct{}))
	if to == nil && api.IsReason(err, "NotFound") {
		return nil
	}
	return err
}

func (l *Label) do(ctx context.Context, verb, method, path, contentType string, body, answer any) error {
	ctx, end := context.WithTimeout(ctx, patience)
	defer end()
	err := l.api.Do(ctx, method, path, contentType, body, answer)
	switch {
	case api.IsReason(err, "Forbidden"):
		return fmt.Errorf("podlabel: the service account needs the verb %s for pods: %w", verb, err)
	case err != nil:
		return fmt.Errorf("podlabel: %w", err)
	}
	return nil
}
