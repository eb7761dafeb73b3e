//go:build !linux

package suspend

import "time"

func system() func() time.Duration { return nil }

func shared() time.Duration { return time.Duration(time.Now().UnixNano()) }
