package emit

import (
	"bufio"
	"fmt"
	"io"
)

// target is the destination of a writer: an *atomicfile.File or standard output.
type target interface {
	io.Writer
	Commit() error
	Discard()
}

// pipe is standard output, for which renaming and removing do nothing.
type pipe struct{ *bufio.Writer }

func (p *pipe) Commit() error {
	if err := p.Flush(); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

func (p *pipe) Discard() {}
