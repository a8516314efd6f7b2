package emit

import (
	"bufio"
	"fmt"
	"io"
)

// target is where a writer's bytes go: a *atomicfile.File or standard output.
type target interface {
	io.Writer
	Commit() error
	Discard()
}

// pipe is standard output: there is nothing to rename or to take back.
type pipe struct{ *bufio.Writer }

func (p *pipe) Commit() error {
	if err := p.Flush(); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

func (p *pipe) Discard() {}
