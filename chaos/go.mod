module github.com/go-election/election/chaos

go 1.26

require (
	github.com/anishathalye/porcupine v1.3.1
	github.com/go-election/election v0.0.0
	github.com/stretchr/testify v1.12.1
)
