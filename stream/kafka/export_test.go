package kafka

import (
	"context"
	"time"

	"unfold/stream"
)

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

// Holders lets tests ask which producers have a transaction open in a partition.
func Holders(ctx context.Context, c Cluster, tp stream.TopicPartition) (open map[int64]bool, err error) {
	err = visit(ctx, c, func(ctx context.Context, l *link) error {
		if err := l.find(ctx, tp.Topic); err != nil {
			return err
		}
		asking := retry{what: "holders"} // leaders of new topics may not know it yet
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
