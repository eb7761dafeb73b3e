package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert/yaml"
	"github.com/stretchr/testify/require"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/internal/pipenet"
	"github.com/go-election/election/transport/tcp"
	"github.com/go-election/election/transport/tcp/certs"
)

// resource has the fields of all resources of orders.yaml.
type resource struct {
	APIVersion string `json:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Spec       struct {
		ClusterIP                string `json:"clusterIP"`
		PublishNotReadyAddresses bool   `json:"publishNotReadyAddresses"`
		Ports                    []struct {
			Name string
			Port int
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
	Grace      int `json:"terminationGracePeriodSeconds"`
	Containers []struct {
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

// manifest returns the Service, the StatefulSet and the PodDisruptionBudget. A field that has no place
// in resource is an error.
func manifest(t *testing.T) (service, set, budget resource) {
	text, err := os.ReadFile("orders.yaml")
	require.NoError(t, err)
	all := []*resource{&service, &set, &budget}
	documents := strings.Split(string(text), "\n---\n")
	require.Len(t, documents, len(all))
	for i, document := range documents {
		var fields any
		require.NoError(t, yaml.Unmarshal([]byte(document), &fields))
		// The decoder of JSON refuses unknown fields; that of YAML which comes with testify does not.
		same, err := json.Marshal(fields)
		require.NoError(t, err)
		d := json.NewDecoder(bytes.NewReader(same))
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(all[i]))
	}
	require.Equal(t, "v1 Service", service.APIVersion+" "+service.Kind)
	require.Equal(t, "apps/v1 StatefulSet", set.APIVersion+" "+set.Kind)
	require.Equal(t, "policy/v1 PodDisruptionBudget", budget.APIVersion+" "+budget.Kind)
	return service, set, budget
}

// TestManifest: what the manifest says is what the program reads, and what package elector needs.
func TestManifest(t *testing.T) {
	service, set, budget := manifest(t)
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
		require.Equal(t, v.Name == "SELF", v.ValueFrom.FieldRef.FieldPath == "metadata.name")
	}
	source, err := os.ReadFile("main.go")
	require.NoError(t, err)
	var read []string
	for _, m := range regexp.MustCompile(`env\("(\w+)"\)`).FindAllStringSubmatch(string(source), -1) {
		read = append(read, m[1])
		require.Contains(t, env, m[1])
	}
	require.Len(t, read, len(env))

	// Each pod has the name set-i, and the DNS name set-i.service.
	members, err := elector.ParseMembers(env["MEMBERS"])
	require.NoError(t, err)
	require.Len(t, members, set.Spec.Replicas)
	port := service.Spec.Ports[0].Port
	for i := range set.Spec.Replicas {
		name := fmt.Sprintf("%s-%d", set.Metadata.Name, i)
		require.Equal(t, fmt.Sprintf("%s.%s:%d", name, service.Metadata.Name, port), members[name])
	}
	config, err := config(func(name string) string { return env[name] })
	require.NoError(t, err)
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
	require.Equal(t, env["TLS"], c.VolumeMounts[0].MountPath)
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

// TestReadiness: the members of the manifest elect over TLS with the files that elect cert makes. A member is
// ready while it takes part, and not before.
func TestReadiness(t *testing.T) { synctest.Test(t, readiness) }

func readiness(t *testing.T) {
	_, set, _ := manifest(t)
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
		c, err := config(func(key string) string {
			return map[string]string{"SELF": name, "MEMBERS": strings.Join(members, ","), "TLS": dir,
				"STATE": filepath.Join(dir, name)}[key]
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
