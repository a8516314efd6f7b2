package stream

// UnavailableError says that something outside that a message needs is not there now, as a
// schema registry that is down: the message is not at fault. It is tried again until that
// is there, and is never a dead letter.
type UnavailableError struct {
	// Err says what is not there, and why.
	Err error
}

func (e *UnavailableError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *UnavailableError) Unwrap() error { return e.Err }
