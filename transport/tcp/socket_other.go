//go:build !linux

package tcp

import "net"

// quicken does nothing: no such option is known.
func quicken(net.Conn) {}
