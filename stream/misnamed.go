package stream

import (
	"errors"
	"fmt"
	"sync"
)

// FirstEvents is how many events without a column that the settings name, and none with it, show that the
// settings are wrong rather than the events.
const FirstEvents = 100

// MisnamedError is final: the first events that came all lack a column that the settings name. Err names the column.
type MisnamedError struct {
	Events int
	Err    error // not unwrapped: it is no message's fault
}

func (e *MisnamedError) Error() string {
	return fmt.Sprintf("none of the first %d events has a column that the configuration names: %v", e.Events, e.Err)
}

// Names finds out whether the columns that the settings name are right, by the first events. It is safe
// for concurrent use.
type Names struct {
	mu      sync.Mutex
	right   bool
	lacking int
	first   error
}

// Judge takes what became of a message of n events: nil if they could be used, else why not. It returns a
// *MisnamedError once FirstEvents events lack a named column (MessageError.Misnamed) and none could be used.
func (c *Names) Judge(n int, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var bad *MessageError
	switch {
	case c.right || n == 0:
		return nil
	case err == nil:
		c.right = true
		return nil
	case !errors.As(err, &bad) || !bad.Misnamed:
		return nil
	}
	if c.first == nil {
		c.first = err
	}
	if c.lacking += n; c.lacking < FirstEvents {
		return nil
	}
	return &MisnamedError{c.lacking, c.first}
}
