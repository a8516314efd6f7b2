package harness

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Environment makes a Python environment in dir by the interpreter python, with
// requirements as pip reads them, unless one with the same is there. The list lies
// beside dir meanwhile. say hears that it begins, run runs the commands.
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

// Interpreter is the environment's Python.
func Interpreter(dir string) string { return filepath.Join(dir, "bin", "python") }
