//go:build !embedpage

package build

// Embedded returns the page that this program holds, nil if it is built without one.
func Embedded() *Site { return nil }
