package emit

// Behind returns a writer that writes in a goroutine while the caller prepares the next output.
// Write waits for the previous output and returns its error. An output must not be modified after
// it was passed to Write.
func Behind(w Writer) Writer { return &behind{Writer: w} }

type behind struct {
	Writer
	writing chan error // receives the error of the last output; nil if there is none
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

// wait waits for the last output and returns the first error of all.
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
	_ = b.wait() // the caller aborts because of an error and needs no other
	b.Writer.Abort()
}
