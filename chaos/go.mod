module github.com/go-election/election/chaos

go 1.26

require (
	github.com/go-election/election v0.0.0
)
