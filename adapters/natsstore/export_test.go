package natsstore

// Escape returns the key in the bucket.
var Escape = escape
