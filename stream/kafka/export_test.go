package kafka

import "time"

// SetRecordLimit lowers the bound for a test and returns how to restore it.
func SetRecordLimit(n int64) (restore func()) {
	was := recordLimit
	recordLimit = n
	return func() { recordLimit = was }
}

// SetAskAgain lowers the age of limits for a test and returns how to restore it.
func SetAskAgain(d time.Duration) (restore func()) {
	was := askAgain
	askAgain = d
	return func() { askAgain = was }
}
