package elector

import (
	"runtime/debug"
	"sync"
)

const module = "github.com/go-election/election"

// version returns the version of this module in the program, for the status.
var version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == module {
			return m.Version
		}
	}
	return ""
})
