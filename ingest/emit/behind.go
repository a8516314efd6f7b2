package emit

// Behind returns a writer that writes an output while its caller makes the next: Write waits for the one
// before, whose error it returns. An output, and what it holds, must not change after it was written.
func Behind(w Writer) Writer { return &behind{Writer: w} }

type behind struct {
	Writer
	writing chan error // of the last output; nil if there is none
	failed  error
}

func (b *behind) Write(o *Output) error {
	if err := b.wait(); err != nil {
		return err
	}
	b.writing = make(chan error, 1)
	go func(done chan<- error) { done <- b.Writer.Write(o) }(b.writing)
	return nil
}

// wait waits for the last output and returns the first error of any.
func (b *behind) wait() error {
	if b.writing != nil {
		if err := <-b.writing; b.failed == nil {
			b.failed = err
		}
		b.writing = nil
	}
	return b.failed
}

func (b *behind) Close() error {
	if err := b.wait(); err != nil {
		b.Writer.Abort()
		return err
	}
	return b.Writer.Close()
}

func (b *behind) Abort() {
	_ = b.wait() // whoever aborts knows of an error, or has one of his own
	b.Writer.Abort()
}
