package stream

import (
	"context"
	"errors"
)

// Transactional is a Generation whose broker writes messages and moves an offset
// in one step. Exactly-once delivery needs it.
type Transactional interface {
	Generation
	// Transact writes what was made of messages of an assigned partition, and moves the
	// group's offset of that partition. All of it is done or nothing, for readers of
	// committed messages. Transactions of different partitions may run at once.
	//
	// nil says that it is done. ErrRevoked says that the partition may be somebody
	// else's, or that it is not known whether it is done: the next generation begins
	// where the truth is. After any other error nothing was done, and it may be
	// retried; with other messages if it is a *RefusedError.
	Transact(ctx context.Context, t Transaction) error
}

// Transaction is everything that was made of some messages of one partition.
type Transaction struct {
	// Position is that behind the last of the messages.
	Position
	// Outputs go to the sink's topic, Letters to that of dead letters; their order
	// is kept as Sink.Write keeps it.
	Outputs, Letters []Message
}

// transact tries a transaction until it is done, the generation is over, the context is
// done, or a topic refuses some of it (*RefusedError).
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
