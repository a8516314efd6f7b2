package main

import (
	"bytes"
	"context"
	"io"
	"os/exec"
	"regexp"
)

// screen copies the output of Bochs to w. Bochs draws its machine's screen on a pseudoterminal and
// stops forever when that is full. So screen finds the terminal's name in the output and starts a
// process that drains it.
type screen struct {
	ctx    context.Context
	w      io.Writer
	text   bytes.Buffer // until the terminal is known
	reader *exec.Cmd
}

var terminal = regexp.MustCompile(`connected to screen "(/dev/[^"]+)"`)

func (s *screen) Write(b []byte) (int, error) {
	if s.reader == nil {
		s.text.Write(b)
		if m := terminal.FindSubmatch(s.text.Bytes()); m != nil {
			s.text.Reset()
			s.reader = exec.CommandContext(s.ctx, "sh", "-c", `stty raw -echo <"$1"; exec cat <"$1"`, "sh", string(m[1]))
			if err := s.reader.Start(); err != nil {
				return 0, err
			}
		}
	}
	return s.w.Write(b)
}

// close ends the reader.
func (s *screen) close() {
	if s.reader != nil {
		s.reader.Process.Kill()
		s.reader.Wait()
	}
}
