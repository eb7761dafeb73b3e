// Package monitoring contains alerts for Prometheus and a dashboard for Grafana. docs/metrics.md explains the metrics.
//
// alerts.yaml has the alerts, and alerts_test.yaml tests them: promtool test rules alerts_test.yaml. Import
// dashboard.json in Grafana, and choose the data source there.
package monitoring
