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
	"sync"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/humanize"
	"unfold/ingest"
	"unfold/ingest/input"
	"unfold/ingest/table"
)

// checkInputCmd decodes a file under a memory limit and discards the result. --untrusted runs it in
// a child process, which may crash.
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
	// Text is later read with the command's flags, by Go's own decoder with bounded memory. Only
	// its compression uses other libraries, so only that is checked.
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

// untrusted has the limits for untrusted input.
type untrusted struct {
	memory config.Size
	// passed are the files that a child has decoded completely. mu guards it.
	mu     sync.Mutex
	passed map[string]bool
	// watch bounds the time of later decoding. See watchReaders.
	watch func(path string) (before func() (after func()))
}

// vet checks files before they are read as data. It returns an error for a model, because models
// and data are often confused. With --untrusted, a child process decodes the files first.
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
		if err := p.decodedFirst(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

// guard is ingest.Options.Guard with --untrusted. It covers every file that a command opens, also
// those that the command does not vet itself, such as labels.
func (p *program) guard(ctx context.Context, path string) (before func() (after func()), err error) {
	if err := p.decodedFirst(ctx, path); err != nil {
		return nil, err
	}
	return p.untrusted.watch(path), nil
}

// decodedFirst decodes a file in a child process, once. The Arrow and Parquet decoders are
// third-party code. A malicious file can exhaust the memory or crash the process, which recover does
// not catch.
func (p *program) decodedFirst(ctx context.Context, path string) error {
	if input.ReadOnce(path) {
		return nil // text, .npy, IDX, and Arrow IPC streams, which are validated before they are decoded
	}
	p.untrusted.mu.Lock()
	defer p.untrusted.mu.Unlock()
	if p.untrusted.passed[path] {
		return nil
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
	return nil
}

func (p *program) vetFile(ctx context.Context, path string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, untrustedTime)
	defer cancel()
	// After "--" a name that starts with a dash is no flag.
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
		return slowDecode(path, untrustedTime)
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

// head stores the first bytes that are written to it.
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
