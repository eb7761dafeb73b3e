package otel

// Reasons returns the reasons that are causes of the context.
func Reasons() (all []string) {
	for _, end := range ends {
		all = append(all, end.reason)
	}
	return all
}
