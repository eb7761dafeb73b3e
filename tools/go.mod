module github.com/go-election/election/tools

go 1.26.0

replace github.com/go-election/election => ../

require (
	github.com/go-election/election v0.0.0
	github.com/stretchr/testify v1.12.1
	golang.org/x/mod v0.43.0
)

require go.yaml.in/yaml/v3 v3.0.5 // indirect
