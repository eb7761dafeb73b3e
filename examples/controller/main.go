// Command controller runs a controller of Kubernetes with controller-runtime, on one replica at a time. Package elector
// chooses the replica instead of the leader election of the manager: the next one works within a few seconds after a
// crash instead of some 15, at most one works even if a process is paused, and each write can carry a token.
//
// A manager cannot be started twice, so each Term has one of its own, which runs within [elector.Elector.Run]. Replicas
// that do not lead therefore hold no caches, and a new leader fills its caches first.
package main

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"
	"strconv"

	"github.com/go-logr/logr"
	core "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/go-election/election/adapters/k8sstore"
	"github.com/go-election/election/elector"
)

func main() {
	ctrl.SetLogger(logr.FromSlogHandler(slog.Default().Handler()))
	store, err := k8sstore.InCluster()
	if err != nil {
		log.Fatal(err)
	}
	times := elector.Cloud()
	e, err := elector.New(elector.Config{Group: "controller", Self: os.Getenv("POD"), Store: store, Times: times, Log: slog.Default()})
	if err != nil {
		log.Fatal(err)
	}
	if err := e.Run(ctrl.SetupSignalHandler(), lead(ctrl.GetConfigOrDie(), options(times), setup)); err != nil {
		log.Fatal(err)
	}
}

// options returns the options of a manager that runs while this process leads.
func options(times elector.Times) manager.Options {
	again, stop := true, times.Stop
	return manager.Options{
		LeaderElection:          false,
		GracefulShutdownTimeout: &stop, // reconcilers that ignore their context are left behind then
		Controller:              config.Controller{SkipNameValidation: &again},
		Metrics:                 server.Options{BindAddress: "0"}, // serve metrics outside of Run, also while another process leads
	}
}

// lead returns the work of a leader: a manager with the controllers that setup adds.
func lead(c *rest.Config, o manager.Options, setup func(manager.Manager, elector.Term) error) func(context.Context, elector.Term) error {
	return func(ctx context.Context, term elector.Term) error {
		m, err := manager.New(c, o)
		if err != nil {
			return err
		}
		if err := setup(m, term); err != nil {
			return err
		}
		return m.Start(ctx)
	}
}

// setup adds a controller that writes the token of the leader to each ConfigMap that has the label watched.
func setup(m manager.Manager, term elector.Term) error {
	return builder.ControllerManagedBy(m).Named("tokens").For(&core.ConfigMap{}).Complete(reconciler(m.GetClient(), term))
}

const annotation = "example.org/token"

// reconciler returns a reconciler that refuses to change what a later leader has changed.
func reconciler(c client.Client, term elector.Term) reconcile.Reconciler {
	return reconcile.Func(func(ctx context.Context, r reconcile.Request) (reconcile.Result, error) {
		var m core.ConfigMap
		if err := c.Get(ctx, r.NamespacedName, &m); err != nil || m.Labels["watched"] == "" {
			return reconcile.Result{}, client.IgnoreNotFound(err)
		}
		switch seen, _ := strconv.ParseUint(m.Annotations[annotation], 10, 64); {
		case seen > term.Token():
			return reconcile.Result{}, reconcile.TerminalError(fmt.Errorf("%s: a leader with token %d has written", r, seen))
		case seen == term.Token():
			return reconcile.Result{}, nil
		}
		if m.Annotations == nil {
			m.Annotations = make(map[string]string)
		}
		m.Annotations[annotation] = term.String()
		return reconcile.Result{}, c.Update(ctx, &m) // with the resourceVersion that was read: a later write is not lost
	})
}
