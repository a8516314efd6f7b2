package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/humanize"
	"unfold/ingest"
	"unfold/ingest/input"
	"unfold/ingest/table"
)

// checkInputCmd decodes a file and throws away what comes out, under a limit of
// memory. It is what --untrusted runs in a process of its own, which may die of it.
type checkInputCmd struct {
	File   string `arg:""`
	Memory int64  `help:"Bytes this process may take."`
}

func (c *checkInputCmd) Run(ctx context.Context, p *program) error {
	if err := limitMemory(c.Memory); err != nil {
		return err
	}
	if err := limitTime(untrustedTime); err != nil {
		return err
	}
	endWithParent()
	o := ingest.Options{Memory: c.Memory}
	// Text is read as the flags of the command say, by a decoder of Go's own library with
	// bounded memory. What it may be compressed by is another's.
	o.CSV.Encoding = "latin1"
	if format, err := ingest.Decompress(ctx, c.File, o); err != nil || format == input.CSV {
		return err
	}
	r, err := ingest.Open(ctx, c.File, o)
	if err != nil {
		return err
	}
	defer r.Close()
	for _, err := range table.All(ctx, r) {
		if err != nil {
			return err
		}
	}
	return nil
}

// untrusted are the limits for untrusted input.
type untrusted struct {
	memory config.Size
	// passed are the files that a child has read to the end.
	passed map[string]bool
}

// untrustedTime bounds the decoding of one file.
const untrustedTime = 10 * time.Minute

// vet looks at files before they are read as data. A model in their place is a common
// slip. If they are not to be trusted another process decodes them first: the decoders of
// Arrow files and Parquet are others' code. Bytes made for that can make them take all
// memory or end the process, which no recover catches.
func (p *program) vet(ctx context.Context, paths ...string) error {
	for _, path := range paths {
		if path != "-" && isModel(path) {
			return &table.Error{Origin: table.Origin{File: path}, Row: -1, Problem: "this is a model, not data", Hint: "name the files that hold the vectors"}
		}
	}
	if p.untrusted.memory == 0 {
		return nil
	}
	for _, path := range paths {
		if input.ReadOnce(path) {
			continue // text, .npy, IDX, or an Arrow IPC stream, whose bytes are checked before they are decoded
		}
		if p.untrusted.passed[path] {
			continue
		}
		local := path
		if input.IsAddress(path) {
			var err error
			if local, err = p.remote.Local(ctx, path); err != nil {
				return err
			}
		}
		if err := p.vetFile(ctx, local); err != nil {
			return err
		}
		if p.untrusted.passed == nil {
			p.untrusted.passed = map[string]bool{}
		}
		p.untrusted.passed[path] = true
	}
	return nil
}

func (p *program) vetFile(ctx context.Context, path string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, untrustedTime)
	defer cancel()
	// Behind "--" a name that begins with a dash is a name.
	child := exec.CommandContext(ctx, self, "--quiet", "check-input", "--memory", strconv.FormatInt(int64(p.untrusted.memory), 10), "--", path)
	child.Env = []string{"GOTRACEBACK=none"}
	said := &head{most: 4 << 10}
	child.Stderr = said
	child.WaitDelay = endTime
	runtime.LockOSThread() // see supervise
	defer runtime.UnlockOSThread()
	bind(child)
	err = child.Run()
	bad := func(problem, hint string) error {
		return &table.Error{Origin: table.Origin{File: path}, Row: -1, Problem: problem, Hint: hint}
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return bad("decoding it takes longer than "+humanize.Span(untrustedTime), "it may be made to")
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &exit) && exit.ExitCode() == exitBadInput:
		text := strings.TrimPrefix(strings.TrimSpace(said.String()), "unfold: ")
		return bad(strings.TrimPrefix(text, path+": "), "")
	case errors.As(err, &exit) && exit.ExitCode() == exitFailed:
		return errors.New(strings.TrimSpace(said.String()))
	case errors.As(err, &exit):
		return bad("its decoder dies of it, or needs more than "+humanize.Bytes(int64(p.untrusted.memory)),
			"it is damaged, or made to do this; if it is neither, give --untrusted more memory")
	}
	return err
}

// head keeps the first bytes that are written to it.
type head struct {
	bytes.Buffer
	most int
}

func (h *head) Write(b []byte) (int, error) {
	if room := h.most - h.Len(); room > 0 {
		h.Buffer.Write(b[:min(room, len(b))])
	}
	return len(b), nil
}
