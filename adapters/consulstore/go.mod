module github.com/go-election/election/adapters/consulstore

go 1.26.0

require github.com/go-election/election v0.0.0

replace github.com/go-election/election => ../..
