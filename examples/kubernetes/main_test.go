package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert/yaml"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election/adapters/k8sstore/fakeapi"
	"github.com/go-election/election/adapters/k8sstore/podlabel"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/pipenet"
	"github.com/go-election/election/store/memstore"
	"github.com/go-election/election/transport/tcp"
	"github.com/go-election/election/transport/tcp/certs"
)

// resource has the fields of all resources of orders.yaml.
type resource struct {
	APIVersion string `json:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Rules      []struct {
		APIGroups     []string `json:"apiGroups"`
		Resources     []string
		Verbs         []string
		ResourceNames []string `json:"resourceNames"`
	}
	Subjects []struct{ Kind, Name string }
	RoleRef  struct {
		APIGroup   string `json:"apiGroup"`
		Kind, Name string
	} `json:"roleRef"`
	Spec struct {
		ClusterIP                string `json:"clusterIP"`
		PublishNotReadyAddresses bool   `json:"publishNotReadyAddresses"`
		Ports                    []struct {
			Name       string
			Port       int
			TargetPort string `json:"targetPort"`
		}
		ServiceName         string `json:"serviceName"`
		Replicas            int
		PodManagementPolicy string `json:"podManagementPolicy"`
		MinReadySeconds     int    `json:"minReadySeconds"`
		MaxUnavailable      int    `json:"maxUnavailable"`
		Selector            any
		Template            struct {
			Metadata struct{ Labels map[string]string }
			Spec     pod
		}
		VolumeClaimTemplates []struct {
			Metadata struct{ Name string }
			Spec     struct {
				AccessModes []string `json:"accessModes"`
				Resources   struct{ Requests struct{ Storage string } }
			}
		} `json:"volumeClaimTemplates"`
	}
}

type pod struct {
	SecurityContext struct {
		RunAsNonRoot   bool                  `json:"runAsNonRoot"`
		RunAsUser      int                   `json:"runAsUser"`
		RunAsGroup     int                   `json:"runAsGroup"`
		FSGroup        int                   `json:"fsGroup"`
		SeccompProfile struct{ Type string } `json:"seccompProfile"`
	} `json:"securityContext"`
	Spread []struct {
		MaxSkew           int    `json:"maxSkew"`
		TopologyKey       string `json:"topologyKey"`
		WhenUnsatisfiable string `json:"whenUnsatisfiable"`
		LabelSelector     any    `json:"labelSelector"`
	} `json:"topologySpreadConstraints"`
	ServiceAccount string `json:"serviceAccountName"`
	Grace          int    `json:"terminationGracePeriodSeconds"`
	Containers     []struct {
		Name, Image string
		Env         []struct {
			Name, Value string
			ValueFrom   struct {
				FieldRef struct {
					FieldPath string `json:"fieldPath"`
				} `json:"fieldRef"`
			} `json:"valueFrom"`
		}
		Ports []struct {
			Name          string
			ContainerPort int `json:"containerPort"`
		}
		ReadinessProbe struct {
			HTTPGet struct{ Path, Port string } `json:"httpGet"`
			Period  int                         `json:"periodSeconds"`
		} `json:"readinessProbe"`
		Resources       struct{ Requests struct{ CPU, Memory string } }
		SecurityContext struct {
			AllowPrivilegeEscalation bool `json:"allowPrivilegeEscalation"`
			ReadOnlyRootFilesystem   bool `json:"readOnlyRootFilesystem"`
			Capabilities             struct{ Drop []string }
		} `json:"securityContext"`
		VolumeMounts []struct {
			Name      string
			MountPath string `json:"mountPath"`
			ReadOnly  bool   `json:"readOnly"`
		} `json:"volumeMounts"`
	}
	Volumes []struct {
		Name   string
		Secret struct {
			SecretName string `json:"secretName"`
		}
	}
}

// manifest returns the resources by kind and name. A field that has no place in resource is an error.
func manifest(t *testing.T) map[string]resource {
	text, err := os.ReadFile("orders.yaml")
	require.NoError(t, err)
	all := make(map[string]resource)
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		var fields any
		require.NoError(t, yaml.Unmarshal([]byte(document), &fields))
		// The decoder of JSON refuses unknown fields; the decoder of YAML that comes with testify does not.
		same, err := json.Marshal(fields)
		require.NoError(t, err)
		d := json.NewDecoder(bytes.NewReader(same))
		d.DisallowUnknownFields()
		var r resource
		require.NoError(t, d.Decode(&r))
		all[r.APIVersion+" "+r.Kind+" "+r.Metadata.Name] = r
	}
	require.ElementsMatch(t, []string{"v1 Service orders", "v1 Service orders-leader", "apps/v1 StatefulSet orders",
		"policy/v1 PodDisruptionBudget orders", "v1 ServiceAccount orders", "rbac.authorization.k8s.io/v1 Role orders",
		"rbac.authorization.k8s.io/v1 RoleBinding orders"}, slices.Collect(maps.Keys(all)))
	return all
}

// pods returns the names of the pods of a StatefulSet.
func pods(set resource) (names []string) {
	for i := range set.Spec.Replicas {
		names = append(names, fmt.Sprintf("%s-%d", set.Metadata.Name, i))
	}
	return names
}

// TestLeaderService: the Service selects the pod that has the label, the account of the pods may do what the label
// needs and no more, and whether a pod is ready does not depend on who leads.
func TestLeaderService(t *testing.T) {
	all := manifest(t)
	set, leader := all["apps/v1 StatefulSet orders"], all["v1 Service orders-leader"]
	var mu sync.Mutex
	var requests []string
	server := fakeapi.New()
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		verb := map[string]string{http.MethodGet: "list", http.MethodPatch: "patch"}[r.Method]
		_, pod, _ := strings.Cut(r.URL.Path, "/pods")
		mu.Lock()
		requests = append(requests, verb+pod)
		mu.Unlock()
		server.ServeHTTP(w, r)
	}))
	defer api.Close()
	for _, pod := range pods(set) {
		server.AddPod("shop", pod, set.Spec.Template.Metadata.Labels)
	}
	selector := make(map[string]string)
	for key, value := range leader.Spec.Selector.(map[string]any) {
		selector[key] = value.(string)
	}
	require.Empty(t, server.Pods("shop", selector))

	label, err := podlabel.New(nil, api.URL, "shop", "orders", "orders-1")
	require.NoError(t, err)
	require.NoError(t, label.Clear(t.Context()))
	e, err := elector.New(elector.Config{Group: "orders", Self: "orders-1", Store: memstore.New()})
	require.NoError(t, err)
	labeled := false
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	require.NoError(t, e.Run(ctx, label.While(func(ctx context.Context, _ elector.Term) error {
		for ctx.Err() == nil && !labeled {
			time.Sleep(time.Millisecond)
			labeled = slices.Equal(server.Pods("shop", selector), []string{"orders-1"})
		}
		if labeled { // otherwise the machine is slow, the lease is lost, and the member leads again
			stop()
		}
		return nil
	})))
	require.True(t, labeled)
	require.Eventually(t, func() bool { return len(server.Pods("shop", selector)) == 0 }, time.Minute, time.Millisecond)
	api.Close() // waits for requests in flight
	mu.Lock()
	defer mu.Unlock()
	require.Contains(t, requests, "list")
	require.Contains(t, requests, "patch/orders-1")

	role, binding := all["rbac.authorization.k8s.io/v1 Role orders"], all["rbac.authorization.k8s.io/v1 RoleBinding orders"]
	require.Equal(t, "Role orders", binding.RoleRef.Kind+" "+binding.RoleRef.Name)
	require.Equal(t, "rbac.authorization.k8s.io", binding.RoleRef.APIGroup)
	require.Len(t, binding.Subjects, 1)
	require.Equal(t, "ServiceAccount orders", binding.Subjects[0].Kind+" "+binding.Subjects[0].Name)
	require.Equal(t, "orders", set.Spec.Template.Spec.ServiceAccount)
	var allowed []string
	for _, rule := range role.Rules {
		require.Equal(t, []string{""}, rule.APIGroups)
		require.Equal(t, []string{"pods"}, rule.Resources)
		for _, verb := range rule.Verbs {
			if rule.ResourceNames == nil {
				allowed = append(allowed, verb)
			}
			for _, pod := range rule.ResourceNames {
				allowed = append(allowed, verb+"/"+pod)
			}
		}
	}
	want := []string{"list"}
	for _, pod := range pods(set) {
		want = append(want, "patch/"+pod)
	}
	require.Equal(t, want, allowed)
	require.Subset(t, allowed, requests)

	container := set.Spec.Template.Spec.Containers[0]
	require.Equal(t, "http", leader.Spec.Ports[0].TargetPort)
	require.Contains(t, fmt.Sprint(container.Ports), "{http ")
	require.Equal(t, "/healthz", container.ReadinessProbe.HTTPGet.Path, "/leader would stop a rolling update")
}

// TestManifest: what the manifest says is what the program reads, and what package elector needs.
func TestManifest(t *testing.T) {
	all := manifest(t)
	service, set, budget := all["v1 Service orders"], all["apps/v1 StatefulSet orders"], all["policy/v1 PodDisruptionBudget orders"]
	labels := set.Spec.Template.Metadata.Labels
	for key, value := range labels {
		require.Equal(t, map[string]any{key: value}, service.Spec.Selector)
		require.Equal(t, map[string]any{"matchLabels": map[string]any{key: value}}, set.Spec.Selector)
		require.Equal(t, set.Spec.Selector, budget.Spec.Selector)
	}
	require.Len(t, labels, 1)
	require.Equal(t, "None", service.Spec.ClusterIP)
	require.True(t, service.Spec.PublishNotReadyAddresses)
	require.Equal(t, service.Metadata.Name, set.Spec.ServiceName)
	require.Equal(t, "Parallel", set.Spec.PodManagementPolicy)
	require.Less(t, budget.Spec.MaxUnavailable, (set.Spec.Replicas+1)/2, "a majority stays")

	own, times := set.Spec.Template.Spec, elector.LAN()
	require.Greater(t, time.Duration(own.Grace)*time.Second, times.Drain+times.Lease)
	require.Greater(t, time.Duration(set.Spec.MinReadySeconds)*time.Second, 2*times.Lease)

	require.Len(t, own.Containers, 1)
	c := own.Containers[0]
	env := map[string]string{}
	for _, v := range c.Env {
		env[v.Name] = v.Value
		require.Equal(t, v.Name == "ELECTION_SELF", v.ValueFrom.FieldRef.FieldPath == "metadata.name")
	}
	env["ELECTION_SELF"] = set.Metadata.Name + "-1"
	source, err := os.ReadFile("main.go")
	require.NoError(t, err)

	// Each pod has the name set-i, and the DNS name set-i.service.
	read := make(map[string]bool)
	config, err := elector.FromEnv(func(name string) string {
		read[name] = true
		return expanded(env, name)
	})
	require.NoError(t, err)
	for name := range env { // no name is mistyped
		require.True(t, read[name] || name == "HTTP", name)
	}
	members := config.Members
	require.Len(t, members, set.Spec.Replicas)
	port := service.Spec.Ports[0].Port
	for _, name := range pods(set) {
		require.Equal(t, fmt.Sprintf("%s.%s:%d", name, service.Metadata.Name, port), members[name])
	}
	require.Equal(t, fmt.Sprintf(":%d", port), config.Listen)
	ports := map[string]int{}
	for _, p := range c.Ports {
		ports[p.Name] = p.ContainerPort
	}
	require.Equal(t, map[string]int{"election": port, "http": 8080}, ports)
	require.Contains(t, string(source), `ListenAndServe(os.Getenv("HTTP")`)
	require.Equal(t, fmt.Sprintf(":%d", ports["http"]), env["HTTP"])
	require.Equal(t, "http", c.ReadinessProbe.HTTPGet.Port)
	require.Len(t, c.VolumeMounts, 2)
	for name, file := range map[string]string{"CERT": "orders-1.pem", "KEY": "orders-1.key.pem", "CA": "ca.pem"} {
		require.Equal(t, c.VolumeMounts[0].MountPath+"/"+file, expanded(env, "ELECTION_TLS_"+name))
	}
	require.Equal(t, c.VolumeMounts[0].Name, own.Volumes[0].Name)
	require.Equal(t, config.Dir, c.VolumeMounts[1].MountPath)
	require.False(t, c.VolumeMounts[1].ReadOnly)
	require.Len(t, set.Spec.VolumeClaimTemplates, 1)
	claim := set.Spec.VolumeClaimTemplates[0]
	require.Equal(t, c.VolumeMounts[1].Name, claim.Metadata.Name)
	require.Equal(t, []string{"ReadWriteOnce"}, claim.Spec.AccessModes, "no two members share a state")
	require.Equal(t, "1Mi", claim.Spec.Resources.Requests.Storage)

	require.True(t, own.SecurityContext.RunAsNonRoot)
	require.Positive(t, own.SecurityContext.RunAsUser)
	require.Positive(t, own.SecurityContext.FSGroup, "else only root may write the state")
	require.Equal(t, "RuntimeDefault", own.SecurityContext.SeccompProfile.Type)
	require.False(t, c.SecurityContext.AllowPrivilegeEscalation)
	require.Equal(t, []string{"ALL"}, c.SecurityContext.Capabilities.Drop)
	require.NotEmpty(t, c.Resources.Requests.CPU)
	require.NotEmpty(t, c.Resources.Requests.Memory)
	require.Len(t, own.Spread, 1)
	require.Equal(t, 1, own.Spread[0].MaxSkew)
	require.Equal(t, "kubernetes.io/hostname", own.Spread[0].TopologyKey)
	require.Equal(t, set.Spec.Selector, own.Spread[0].LabelSelector)
}

// expanded returns the value of a variable, with the names of other variables replaced as Kubernetes does.
func expanded(env map[string]string, name string) string {
	return regexp.MustCompile(`\$\(\w+\)`).ReplaceAllStringFunc(env[name], func(v string) string {
		return env[v[2:len(v)-1]]
	})
}

// installed writes the certificates of the members, and returns their names and addresses.
func installed(t *testing.T, replicas int) (dir string, members []string) {
	dir = t.TempDir()
	ca, err := certs.NewCA("test", time.Now(), time.Hour)
	require.NoError(t, err)
	write := func(name string, text []byte) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	write("ca.pem", ca.Cert)
	for i := range replicas {
		name := fmt.Sprintf("orders-%d", i)
		cert, key, err := ca.Issue("orders", name, time.Now(), time.Hour)
		require.NoError(t, err)
		write(name+".pem", cert)
		write(name+".key.pem", key)
		members = append(members, name+"="+name+".orders:7946")
	}
	return dir, members
}

// connected lets a member talk over pipes, by the certificates of its configuration. Its listener would keep
// virtual time from passing.
func connected(t *testing.T, hub *pipenet.Hub, c *elector.Config) {
	own := c.TCP()
	own.Listener, own.Dial = hub.Listen(c.Members[c.Self]), hub.Dial
	n, err := tcp.New(own)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, n.Close()) })
	c.Network = n
}

// TestCertManager: the certificate that kustomization.yaml asks for is one of a member, and each of its patches changes
// what it is meant to change.
func TestCertManager(t *testing.T) {
	set := manifest(t)["apps/v1 StatefulSet orders"]
	text, err := os.ReadFile("kustomization.yaml")
	require.NoError(t, err)
	var kustomization struct {
		Resources []string
		Patches   []struct {
			Target struct{ Kind, Name string }
			Patch  string
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &kustomization))
	require.Equal(t, []string{"cert-manager.yaml", "orders.yaml"}, kustomization.Resources)
	require.Len(t, kustomization.Patches, 1)
	require.Equal(t, set.Kind, kustomization.Patches[0].Target.Kind)
	require.Equal(t, set.Metadata.Name, kustomization.Patches[0].Target.Name)
	var patches []struct {
		Op, Path string
		Value    any
	}
	require.NoError(t, yaml.Unmarshal([]byte(kustomization.Patches[0].Patch), &patches))
	own := set.Spec.Template.Spec
	require.Len(t, patches, 4)
	files := make(map[string]any)
	for _, p := range patches {
		require.Equal(t, "replace", p.Op)
		if at, ok := strings.CutPrefix(p.Path, "/spec/template/spec/containers/0/env/"); ok {
			var i int
			_, err := fmt.Sscanf(at, "%d/value", &i)
			require.NoError(t, err)
			files[own.Containers[0].Env[i].Name] = p.Value
		}
	}
	require.Equal(t, map[string]any{"ELECTION_TLS_CERT": "/tls/tls.crt", "ELECTION_TLS_KEY": "/tls/tls.key",
		"ELECTION_TLS_CA": "/tls/ca.crt"}, files)
	require.Equal(t, "/spec/template/spec/volumes/0", patches[0].Path)
	require.Equal(t, "tls", own.Volumes[0].Name)
	volume, ok := patches[0].Value.(map[string]any)
	require.True(t, ok)
	require.Equal(t, own.Volumes[0].Name, volume["name"])
	csi, ok := volume["csi"].(map[string]any)
	require.True(t, ok)
	attributes, ok := csi["volumeAttributes"].(map[string]any)
	require.True(t, ok)
	const driver = "csi.cert-manager.io"
	require.Equal(t, driver, csi["driver"])
	require.Equal(t, "digital signature,server auth,client auth", attributes[driver+"/key-usages"])
	require.Equal(t, fmt.Sprint(own.SecurityContext.FSGroup), attributes[driver+"/fs-group"])
	uri, ok := attributes[driver+"/uri-sans"].(string)
	require.True(t, ok)
	ca, err := certs.NewCA("test", time.Now(), time.Hour)
	require.NoError(t, err)
	cert, key, err := ca.Issue("orders", "orders-1", time.Now(), time.Hour) // what a member accepts
	require.NoError(t, err)
	pair, err := tls.X509KeyPair(cert, key)
	require.NoError(t, err)
	require.Equal(t, pair.Leaf.URIs[0].String(), strings.ReplaceAll(uri, "${POD_NAME}", "orders-1"))

	text, err = os.ReadFile("cert-manager.yaml")
	require.NoError(t, err)
	var kinds []string
	for document := range strings.SplitSeq(string(text), "\n---\n") {
		var r struct {
			Kind     string
			Metadata struct{ Name string }
			Spec     struct {
				SecretName string            `yaml:"secretName"`
				IssuerRef  map[string]string `yaml:"issuerRef"`
				CA         map[string]string
			}
		}
		require.NoError(t, yaml.Unmarshal([]byte(document), &r))
		kinds = append(kinds, strings.Join([]string{r.Kind, r.Metadata.Name, r.Spec.SecretName,
			r.Spec.IssuerRef["name"], r.Spec.CA["secretName"]}, " "))
	}
	require.Equal(t, []string{"Issuer orders-root   ", "Certificate orders-ca orders-ca orders-root ", "Issuer orders   orders-ca"}, kinds)
	require.Equal(t, "orders", attributes[driver+"/issuer-name"])
}

// TestReadiness: the members of the manifest elect over TLS with the files that elect cert makes. A member is
// ready while it takes part, and not before.
func TestReadiness(t *testing.T) { synctest.Test(t, readiness) }

func readiness(t *testing.T) {
	set := manifest(t)["apps/v1 StatefulSet orders"]
	dir, members := installed(t, set.Spec.Replicas)
	probe := set.Spec.Template.Spec.Containers[0].ReadinessProbe.HTTPGet.Path
	ready := func(e *elector.Elector, code int) {
		w := httptest.NewRecorder()
		e.Handler().ServeHTTP(w, httptest.NewRequest("GET", probe, nil))
		require.Equal(t, code, w.Code, w.Body)
	}
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	led := make(chan elector.Term)
	var hub pipenet.Hub
	var all []*elector.Elector
	for _, m := range members {
		name, _, _ := strings.Cut(m, "=")
		c, err := elector.FromEnv(func(key string) string {
			return map[string]string{"ELECTION_GROUP": "orders", "ELECTION_SELF": name,
				"ELECTION_MEMBERS": strings.Join(members, ","), "ELECTION_DIR": filepath.Join(dir, name),
				"ELECTION_TLS_CERT": filepath.Join(dir, name+".pem"), "ELECTION_TLS_KEY": filepath.Join(dir, name+".key.pem"),
				"ELECTION_TLS_CA": filepath.Join(dir, "ca.pem")}[key]
		})
		require.NoError(t, err)
		c.Log = slog.New(slog.DiscardHandler)
		connected(t, &hub, &c)
		e, err := elector.New(c)
		require.NoError(t, err)
		ready(e, 503)
		all = append(all, e)
	}
	for _, e := range all {
		running.Go(func() {
			err := e.Run(ctx, func(ctx context.Context, term elector.Term) error {
				led <- term
				<-ctx.Done()
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	<-led
	for _, e := range all {
		_, err := e.Wait(ctx)
		require.NoError(t, err)
		ready(e, 200)
	}
	stop()
	go func() {
		for range led { // the others may lead for a moment
		}
	}()
	running.Wait()
	close(led)
	for _, e := range all {
		ready(e, 503)
	}
}
