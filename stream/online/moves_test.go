package online

import (
	"context"
	"errors"
	"sync"

	"unfold/stream"
)

// told is a sink that remembers what it was told.
type told struct {
	mu       sync.Mutex
	messages []stream.Message
	broken   bool
}

func (s *told) Write(_ context.Context, messages []stream.Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken {
		return errors.New("no route to the broker")
	}
	s.messages = append(s.messages, messages...)
	return nil
}

func (s *told) Close() error { return nil }
