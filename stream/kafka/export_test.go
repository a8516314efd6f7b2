package kafka

// SetRecordLimit lowers the bound for a test and returns how to restore it.
func SetRecordLimit(n int64) (restore func()) {
	was := recordLimit
	recordLimit = n
	return func() { recordLimit = was }
}
