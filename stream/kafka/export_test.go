package kafka

// SetInflateLimit lowers the bound for a test and returns how to restore it.
func SetInflateLimit(n int64) (restore func()) {
	was := inflateLimit
	inflateLimit = n
	return func() { inflateLimit = was }
}
