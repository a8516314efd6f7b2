package kafka

import (
	"context"
	"time"

	"unfold/stream"
)

// SetRecordLimit lowers the limit for a test and returns a function that restores it.
func SetRecordLimit(n int64) (restore func()) {
	was := recordLimit
	recordLimit = n
	return func() { recordLimit = was }
}

// SetAskAgain lowers the maximal age of limits for a test and returns a function that restores it.
func SetAskAgain(d time.Duration) (restore func()) {
	was := askAgain
	askAgain = d
	return func() { askAgain = was }
}

// Holders returns the producers with an open transaction in a partition.
func Holders(ctx context.Context, c Cluster, tp stream.TopicPartition) (open map[int64]bool, err error) {
	err = visit(ctx, c, func(ctx context.Context, l *link) error {
		if err := l.find(ctx, tp.Topic); err != nil {
			return err
		}
		asking := retry{what: "holders"} // leaders of new topics may not be ready
		return asking.until(ctx, func() error {
			holders, err := l.holders(ctx, tp)
			open = map[int64]bool{}
			for id := range holders {
				open[id] = true
			}
			return err
		})
	})
	return open, err
}
