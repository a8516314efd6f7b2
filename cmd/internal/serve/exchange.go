package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"

	"unfold/ingest"
	"unfold/ingest/table"
)

// Exchange answers consecutive requests on a pipe. It writes one response to each request, in
// order, before it reads the next. The response to a failed request is an object with the key
// error.
type Exchange struct {
	Current Current
	Placer  *Placer
	Options Options
}

// Lines answers requests of one JSON value a line. The response is also one line: an object for an
// object, an array for an array. If in is an Arrow IPC stream, each of its rows gets a line
// instead, and in ends with the stream. Lines returns nil at the end of in or when the context is
// done.
func (x *Exchange) Lines(ctx context.Context, in io.Reader, out io.Writer) error {
	most := x.Placer.Limits.Filled().Body
	r, begun := bufio.NewReaderSize(in, 64<<10), false
	write := func(answer []byte) error {
		_, err := out.Write(append(bytes.TrimRight(answer, "\n"), '\n'))
		return err
	}
	err := x.serve(ctx, func() ([]byte, error) {
		if !begun {
			begun = true
			if first, err := r.Peek(1); err == nil && Auto.of(first) == Arrow {
				return nil, errArrow
			}
		}
		return readLine(r, most)
	}, write, Options{In: JSON, Out: flat, Neighbors: x.Options.Neighbors, Explain: x.Options.Explain})
	if errors.Is(err, errArrow) {
		return x.rows(ctx, r, write)
	}
	return err
}

// errArrow reports an Arrow stream in place of lines.
var errArrow = errors.New("an Arrow stream")

// rows writes a response to each row of an Arrow stream.
func (x *Exchange) rows(ctx context.Context, in io.Reader, write func([]byte) error) error {
	r, err := ingest.Open(ctx, "-", ingest.Options{Stdin: in})
	if err != nil {
		return err
	}
	defer r.Close()
	first := int64(0)
	for t, err := range table.All(ctx, r) {
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range t.Len() {
			if err := write(x.row(ctx, t.Slice(i, i+1), first)); err != nil {
				return fmt.Errorf("writing answers: %w", err)
			}
			first++
		}
	}
	return nil
}

// row returns the response to a table of one row. Its number replaces a missing id.
func (x *Exchange) row(ctx context.Context, t *table.Table, number int64) []byte {
	m, err := x.Current.model()
	if err != nil {
		return problemOf(err, http.StatusInternalServerError).line()
	}
	at, err := m.place(ctx, rows{Table: t}, x.Options, x.Placer.Limits.Filled())
	if err != nil {
		return problemOf(err, http.StatusUnprocessableEntity).line()
	}
	at.FirstRow = number
	answer, err := x.Placer.writeFlat(at)
	if err != nil {
		return problemOf(err, http.StatusInternalServerError).line()
	}
	return answer
}

// Frames answers frames. Each request and response follows its length, a 32-bit big-endian number.
// A request is JSON or an Arrow IPC stream, detected by its first byte. The response has the same
// format, but an error is always JSON. Frames returns nil if in ends between two frames or the
// context is done.
func (x *Exchange) Frames(ctx context.Context, in io.Reader, out io.Writer) error {
	most := x.Placer.Limits.Filled().Body
	r := bufio.NewReaderSize(in, 64<<10)
	return x.serve(ctx, func() ([]byte, error) { return ReadFrame(r, most) }, func(answer []byte) error { return WriteFrame(out, answer) }, x.Options)
}

// WriteFrame writes a frame in a single write, so that a pipe receives it in one piece if it fits.
func WriteFrame(w io.Writer, body []byte) error {
	_, err := w.Write(append(binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(body)), uint32(len(body))), body...))
	return err
}

// incoming is a request, or the error of reading it. A *Problem concerns only that request; another
// error ends the exchange.
type incoming struct {
	body []byte
	err  error
}

// serve answers the requests that read returns, until it fails. A read cannot be interrupted: one
// that blocks when the context is done ends with the process or its input.
func (x *Exchange) serve(ctx context.Context, read func() ([]byte, error), write func([]byte) error, o Options) error {
	requests, done := make(chan incoming), make(chan struct{})
	defer close(done)
	go func() {
		for {
			body, err := read()
			select {
			case requests <- incoming{body, err}:
			case <-done:
				return
			}
			var p *Problem
			if err != nil && !errors.As(err, &p) {
				return
			}
		}
	}()
	for {
		var next incoming
		select {
		case next = <-requests:
		case <-ctx.Done():
			return nil
		}
		var p *Problem
		if next.err != nil && !errors.As(next.err, &p) {
			if next.err == io.EOF {
				return nil
			}
			return fmt.Errorf("reading requests: %w", next.err)
		}
		if err := write(x.answer(ctx, next, o)); err != nil {
			return fmt.Errorf("writing answers: %w", err)
		}
	}
}

// answer returns the response to a request, even to an invalid one.
func (x *Exchange) answer(ctx context.Context, in incoming, o Options) []byte {
	err := in.err
	var m *Model
	if err == nil {
		m, err = x.Current.model()
	}
	if err == nil {
		var answer []byte
		if answer, _, err = x.Placer.Place(context.WithoutCancel(ctx), m, in.body, o); err == nil {
			return answer
		}
	}
	return problemOf(err, http.StatusInternalServerError).line()
}

// readLine reads a line without its line break. A line of more than most bytes is skipped and
// returns a problem.
func readLine(r *bufio.Reader, most int64) ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if long = long || int64(len(line)+len(part)) > most+2; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && len(line) == 0 && !long:
			return nil, io.EOF
		case err != nil && err != io.EOF:
			return nil, err
		}
		if line = bytes.TrimRight(line, "\r\n"); long || int64(len(line)) > most {
			return nil, tooLarge(most)
		}
		return line, nil
	}
}

// ReadFrame reads a frame. It returns io.EOF at the end of input between two frames. A frame of
// more than most bytes is skipped and returns a *Problem.
func ReadFrame(r *bufio.Reader, most int64) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		if err == io.ErrUnexpectedEOF {
			return nil, errors.New("the input ends within the length of a frame")
		}
		return nil, err
	}
	n := int64(binary.BigEndian.Uint32(head[:]))
	if n > most {
		if _, err := io.CopyN(io.Discard, r, n); err != nil {
			return nil, cut(n, err)
		}
		return nil, tooLarge(most)
	}
	// The body grows with the data received, so a false length allocates no memory.
	var body bytes.Buffer
	if _, err := io.CopyN(&body, r, n); err != nil {
		return nil, cut(n, err)
	}
	return body.Bytes(), nil
}

// cut is the error of an incomplete frame.
func cut(n int64, err error) error {
	if err == io.EOF {
		return fmt.Errorf("the input ends within a frame of %d bytes", n)
	}
	return err
}
