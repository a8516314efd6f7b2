package stream

import (
	"errors"
	"fmt"
	"sync"
)

// FirstEvents is the number of events after which a missing column is considered an error of the
// settings. No event may have had the column until then.
const FirstEvents = 100

// MisnamedError is final: all of the first events lack a column that the settings name. Err names
// the column.
type MisnamedError struct {
	Events int
	Err    error // not unwrapped, because the messages are not bad
}

func (e *MisnamedError) Error() string {
	return fmt.Sprintf("none of the first %d events has a column that the configuration names: %v", e.Events, e.Err)
}

// Names checks the columns that the settings name against the first events. It is safe for
// concurrent use.
type Names struct {
	mu      sync.Mutex
	right   bool
	lacking int
	first   error
}

// Judge records the outcome of a message of n events: nil if they could be used, otherwise the
// error. It returns a *MisnamedError once FirstEvents events lack a named column
// (MessageError.Misnamed) and none could be used.
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
