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

// sessionCommands are those that a session runs: they end by themselves.
var sessionCommands = []string{"fit", "embed", "update", "score", "plot", "clusters", "explain", "decode", "inspect", "export", "version"}

// mostRequest bounds a request of a session.
const mostRequest = 16 << 20

// sessionRequest is what a program asks.
type sessionRequest struct {
	// Args are a command line, without the program's name.
	Args []string `json:"args"`
	// Progress asks to hear how far the command is.
	Progress bool `json:"progress"`
	// Cancel asks that the command which runs ends. It is not answered.
	Cancel bool `json:"cancel"`
}

// sessionAnswer is a frame to the program: how far a command is, a note, a warning, or its end.
type sessionAnswer struct {
	Progress *progress.Step `json:"progress,omitempty"`
	Note     string         `json:"note,omitempty"`
	Warning  string         `json:"warning,omitempty"`
	End      *sessionEnd    `json:"end,omitempty"`
}

// sessionEnd is how a command ended.
type sessionEnd struct {
	// Code is the exit code, Output what went to standard output, and Error why it failed.
	Code   int    `json:"code"`
	Output string `json:"output"`
	Error  string `json:"error,omitempty"`
}

func (sessionCmd) Run(ctx context.Context, p *program) error {
	s := &session{sys: p.System, out: p.Stdout, kept: &keptMaps{}}
	return s.serve(ctx, p.Stdin)
}

// session runs commands one after the other.
type session struct {
	sys  System
	out  io.Writer
	kept *keptMaps
	// mu is held while an answer is written, and err is why one was not.
	mu  sync.Mutex
	err error
}

// serve answers requests until they end, or the context does. A command ends early when the
// requests end: nobody waits for it.
func (s *session) serve(ctx context.Context, in io.Reader) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	requests, ended := make(chan sessionRequest), make(chan error, 1)
	cancels := make(chan struct{}, 1)
	// The reader ends with its input, which the process's end closes.
	go func() {
		defer stop()
		ended <- s.read(ctx, bufio.NewReader(in), requests, cancels)
	}()
	for {
		select {
		case r := <-requests:
			for len(cancels) > 0 { // one that came too late for the command before
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

// read hands requests on until they end.
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

// answer runs a command.
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
	sys.Args, sys.Stdin, sys.Stdout, sys.Stderr = args, strings.NewReader(""), &stdout, said
	end := &sessionEnd{Code: execute(ctx, sys, heard), Output: stdout.String()}
	close(done)
	<-watched
	cancel()
	end.Error = said.end()
	s.write(sessionAnswer{End: end})
}

// write writes an answer.
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

// failed is why an answer could not be written.
func (s *session) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// sessionNotes takes what a command writes to standard error: lines are notes or warnings, and from the
// one on that begins as complain's do, the error.
type sessionNotes struct {
	s       *session
	line    []byte
	failure []string
}

const (
	errorPrefix   = "unfold: "
	notePrefix    = "note: "
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

// take takes a whole line.
func (n *sessionNotes) take(line string) {
	switch failure, begins := strings.CutPrefix(line, errorPrefix); {
	case begins && n.failure == nil:
		n.failure = []string{failure}
	case n.failure != nil:
		n.failure = append(n.failure, line)
	case strings.HasPrefix(line, warningPrefix):
		n.s.write(sessionAnswer{Warning: strings.TrimPrefix(line, warningPrefix)})
	case line != "":
		n.s.write(sessionAnswer{Note: strings.TrimPrefix(line, notePrefix)})
	}
}

// end is the error.
func (n *sessionNotes) end() string {
	if len(n.line) > 0 {
		n.take(string(n.line))
	}
	return strings.Join(n.failure, "\n")
}
