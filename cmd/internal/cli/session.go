package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"unfold/cmd/internal/progress"
	"unfold/cmd/internal/serve"
)

type sessionCmd struct{}

func (sessionCmd) Help() string {
	return `Runs commands for another program: it sends each in a frame on standard input, hears how far it is, and gets its end in a frame
on standard output. What a command does is what it does on the command line, to the same bytes; the session keeps the model in
memory. The frames are in docs/formats.md, "A session on a pipe". The Python package works by it.`
}

// sessionCommands are the commands that a session runs. All of them end by themselves.
var sessionCommands = []string{"fit", "embed", "update", "score", "plot", "clusters", "explain", "decode", "inspect", "export", "version"}

// mostRequest bounds the bytes of a request.
const mostRequest = 16 << 20

// sessionRequest is a request of the calling program.
type sessionRequest struct {
	// Args are the command line without the program's name.
	Args []string `json:"args"`
	// Progress requests progress messages.
	Progress bool `json:"progress"`
	// Cancel ends the running command. It has no answer.
	Cancel bool `json:"cancel"`
}

// sessionAnswer is a message to the calling program: progress, a note, a warning, or the end of a
// command.
type sessionAnswer struct {
	Progress *progress.Step `json:"progress,omitempty"`
	Note     string         `json:"note,omitempty"`
	// Chosen marks a note on what the program chose to do unasked.
	Chosen  bool        `json:"chosen,omitempty"`
	Warning string      `json:"warning,omitempty"`
	End     *sessionEnd `json:"end,omitempty"`
}

// sessionEnd is the result of a command.
type sessionEnd struct {
	// Code is the exit code, Output the standard output, and Error the error message.
	Code   int    `json:"code"`
	Output string `json:"output"`
	Error  string `json:"error,omitempty"`
}

func (sessionCmd) Run(ctx context.Context, p *program) error {
	s := &session{sys: p.System, out: p.Stdout, kept: &keptMaps{}}
	return s.serve(ctx, p.Stdin)
}

type session struct {
	sys  System
	out  io.Writer
	kept *keptMaps
	// mu serializes writes of answers. err is the first write error.
	mu  sync.Mutex
	err error
}

// serve answers requests until their stream ends or the context is done. The end of the stream also
// ends a running command, because its answer has no reader.
func (s *session) serve(ctx context.Context, in io.Reader) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	requests, ended := make(chan sessionRequest), make(chan error, 1)
	cancels := make(chan struct{}, 1)
	// The goroutine ends with its input, which is closed when the process ends.
	go func() {
		defer stop()
		ended <- s.read(ctx, bufio.NewReader(in), requests, cancels)
	}()
	for {
		select {
		case r := <-requests:
			for len(cancels) > 0 { // cancels that came too late for the previous command
				<-cancels
			}
			s.answer(ctx, r, cancels)
		case err := <-ended:
			return errors.Join(err, s.failed())
		case <-ctx.Done():
			select {
			case err := <-ended:
				return errors.Join(err, s.failed())
			default:
				return s.failed()
			}
		}
		if err := s.failed(); err != nil {
			return err
		}
	}
}

// read passes on requests until the stream ends.
func (s *session) read(ctx context.Context, in *bufio.Reader, requests chan<- sessionRequest, cancels chan<- struct{}) error {
	for {
		body, err := serve.ReadFrame(in, mostRequest)
		var p *serve.Problem
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &p):
			s.write(sessionAnswer{End: &sessionEnd{Code: exitUsage, Error: p.Detail}})
			continue
		case err != nil:
			return fmt.Errorf("reading requests: %w", err)
		}
		var r sessionRequest
		d := json.NewDecoder(bytes.NewReader(body))
		d.DisallowUnknownFields()
		if err := d.Decode(&r); err != nil {
			s.write(sessionAnswer{End: &sessionEnd{Code: exitUsage, Error: "a request is an object such as {\"args\": [\"version\"]}: " + err.Error()}})
			continue
		}
		if r.Cancel {
			select {
			case cancels <- struct{}{}:
			default:
			}
			continue
		}
		select {
		case requests <- r:
		case <-ctx.Done():
			return nil
		}
	}
}

// answer runs a command and writes its answer.
func (s *session) answer(ctx context.Context, r sessionRequest, cancels <-chan struct{}) {
	if len(r.Args) == 0 || !slices.Contains(sessionCommands, r.Args[0]) {
		s.write(sessionAnswer{End: &sessionEnd{Code: exitUsage, Error: "a session runs " + strings.Join(sessionCommands, ", ")}})
		return
	}
	ctx, cancel := context.WithCancel(context.WithValue(ctx, keptKey{}, s.kept))
	done, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-cancels:
			cancel()
		case <-done:
		}
	}()
	var stdout bytes.Buffer
	said := &sessionNotes{s: s}
	var heard *progress.Reporter
	args := slices.Clone(r.Args)
	if r.Progress {
		heard = progress.Hear(func(step progress.Step) { s.write(sessionAnswer{Progress: &step}) })
	} else {
		args = append(args, "--quiet")
	}
	sys := s.sys
	sys.session = true
	sys.Args, sys.Stdin, sys.Stdout, sys.Stderr = args, strings.NewReader(""), &stdout, said
	end := &sessionEnd{Code: execute(ctx, sys, heard), Output: stdout.String()}
	close(done)
	<-watched
	cancel()
	end.Error = said.end()
	s.write(sessionAnswer{End: end})
}

func (s *session) write(a sessionAnswer) {
	body, err := json.Marshal(a)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.err == nil {
		err = serve.WriteFrame(s.out, body)
	}
	if err != nil && s.err == nil {
		s.err = fmt.Errorf("writing answers: %w", err)
	}
}

// failed returns the error of an earlier write, nil if all succeeded.
func (s *session) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// sessionNotes parses the standard error of a command. Lines are notes or warnings. A line with the
// prefix of complain starts the error message.
type sessionNotes struct {
	s       *session
	line    []byte
	failure []string
}

const (
	errorPrefix   = "unfold: "
	notePrefix    = "note: "
	chosenPrefix  = "note of a choice: "
	warningPrefix = "warning: "
)

func (n *sessionNotes) Write(b []byte) (int, error) {
	n.line = append(n.line, b...)
	for {
		line, rest, ended := bytes.Cut(n.line, []byte("\n"))
		if !ended {
			return len(b), nil
		}
		n.take(string(line))
		n.line = rest
	}
}

// take processes a complete line.
func (n *sessionNotes) take(line string) {
	switch failure, begins := strings.CutPrefix(line, errorPrefix); {
	case begins && n.failure == nil:
		n.failure = []string{failure}
	case n.failure != nil:
		n.failure = append(n.failure, line)
	case strings.HasPrefix(line, warningPrefix):
		n.s.write(sessionAnswer{Warning: strings.TrimPrefix(line, warningPrefix)})
	case strings.HasPrefix(line, chosenPrefix):
		n.s.write(sessionAnswer{Note: strings.TrimPrefix(line, chosenPrefix), Chosen: true})
	case line != "":
		n.s.write(sessionAnswer{Note: strings.TrimPrefix(line, notePrefix)})
	}
}

// end returns the error message.
func (n *sessionNotes) end() string {
	if len(n.line) > 0 {
		n.take(string(n.line))
	}
	return strings.Join(n.failure, "\n")
}
