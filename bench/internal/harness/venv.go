package harness

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Peers is the Python environment of the other programs that are measured.
type Peers struct {
	Skip   bool   // no peer is measured
	Python string // the interpreter for making their environment
	Venv   string // an existing environment, or ""
}

// Peers adds the flags -python, -venv and -skip-peers. skipping describes further effects of the
// last.
func (c *Command) Peers(p *Peers, skipping string) {
	c.StringVar(&p.Python, "python", "python3", "interpreter that the peers' environment is made with")
	c.StringVar(&p.Venv, "venv", "", "environment that holds the peers already; default OUT/venv, made if missing")
	c.BoolVar(&p.Skip, "skip-peers", false, "measure no peer and make no environment for them"+skipping)
}

// Dir returns the environment's folder: OUT/venv unless another is given.
func (p *Peers) Dir(out string) string {
	if p.Venv != "" {
		return p.Venv
	}
	return filepath.Join(out, "venv")
}

// Make makes the environment in OUT (see Environment), unless an existing one is given.
func (p *Peers) Make(ctx context.Context, out string, requirements []byte, say func(format string, args ...any), run func(ctx context.Context, name string, args ...string) error) error {
	if p.Venv != "" {
		return nil
	}
	return Environment(ctx, p.Dir(out), p.Python, requirements, say, run)
}

// Environment makes a Python environment in dir with the given interpreter and pip requirements,
// unless one with the same requirements exists. say reports the start, and run runs the commands.
func Environment(ctx context.Context, dir, python string, requirements []byte, say func(format string, args ...any), run func(ctx context.Context, name string, args ...string) error) error {
	stamp := filepath.Join(dir, "requirements.txt")
	if text, err := os.ReadFile(stamp); err == nil && bytes.Equal(text, requirements) {
		return nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	say("making the peers' Python environment in %s", dir)
	if err := run(ctx, python, "-m", "venv", "--clear", dir); err != nil {
		return err
	}
	list := filepath.Join(filepath.Dir(dir), "requirements.txt")
	if err := os.WriteFile(list, requirements, 0o666); err != nil {
		return err
	}
	if err := run(ctx, Interpreter(dir), "-m", "pip", "install", "-q", "-r", list); err != nil {
		return err
	}
	return os.Rename(list, stamp)
}

// Interpreter returns the environment's Python.
func Interpreter(dir string) string { return filepath.Join(dir, "bin", "python") }
