module github.com/go-election/election/page

go 1.26

require (
	github.com/go-election/election v0.0.0
	github.com/stretchr/testify v1.12.1
)
