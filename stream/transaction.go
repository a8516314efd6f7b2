package stream

import (
	"context"
	"errors"
)

// Transactional is a Generation that can write messages and commit an offset atomically.
// Exactly-once delivery needs it.
type Transactional interface {
	Generation
	// Transact writes the outputs and letters of an assigned partition and commits its offset in
	// one transaction. For readers of committed messages, either all of it happens or nothing.
	// Transactions of different partitions may run concurrently.
	//
	// It returns nil if the transaction is committed. ErrRevoked means that the partition may have
	// another owner, or that the outcome is unknown; the next generation then begins at the true
	// offset. After any other error nothing was written, and the transaction may be retried. After
	// a *RefusedError it must be retried with other messages.
	Transact(ctx context.Context, t Transaction) error
}

// Transaction contains the outputs and dead letters of some messages of one partition.
type Transaction struct {
	// Position is the position behind the last of the messages.
	Position
	// Outputs are written to the sink's topic, and Letters to the dead-letter topic. Their order is
	// kept in the same way as by Sink.Write.
	Outputs, Letters []Message
}

// transact retries a transaction until it is committed, the generation has ended, the context is
// done, or a topic rejects a message (*RefusedError).
func (r retrier) transact(ctx context.Context, gen Transactional, t Transaction) error {
	for attempt := 1; ; attempt++ {
		err := gen.Transact(ctx, t)
		if err == nil || errors.Is(err, ErrRevoked) {
			return err
		}
		var refused *RefusedError
		if errors.As(err, &refused) {
			return refused
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !r.pause(ctx, "transaction", attempt, attempt, err) {
			return ctx.Err()
		}
	}
}
