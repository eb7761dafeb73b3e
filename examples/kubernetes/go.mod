module github.com/go-election/election/examples/kubernetes

go 1.26.0

require (
	github.com/go-election/election v0.0.0
	github.com/go-election/election/adapters/k8sstore v0.0.0
	github.com/stretchr/testify v1.12.1
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect

replace (
	github.com/go-election/election => ../..
	github.com/go-election/election/adapters/k8sstore => ../../adapters/k8sstore
)
