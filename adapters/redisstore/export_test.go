package redisstore

import "time"

// SetSilence changes how long Watch waits before it asks the server for an answer.
func SetSilence(d time.Duration) { silence = d }
