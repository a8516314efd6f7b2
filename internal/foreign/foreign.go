package foreign

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"unfold/internal/fetched"
	"unfold/internal/testkit/tier"
)

// Run runs a Python script with arguments and returns its output. If the exit code is not 0, the
// test fails with the script's standard error.
func Run(t testing.TB, script string, args ...string) []byte {
	t.Helper()
	out, complaint, err := Try(t, script, args...)
	if err != nil {
		t.Fatalf("%v\n%s", err, complaint)
	}
	return out
}

// Try is Run for scripts that may fail. It returns standard output and standard error.
func Try(t testing.TB, script string, args ...string) (out, complaint []byte, err error) {
	t.Helper()
	cmd := Command(t, script, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	return stdout.Bytes(), stderr.Bytes(), err
}

// Command returns the Python process of a script, not started yet. It is killed when the test ends.
func Command(t testing.TB, script string, args ...string) *exec.Cmd {
	t.Helper()
	tier.Full(t, "it runs Python libraries")
	libraries, err := libraries()
	if err != nil {
		tier.Missing(t, err.Error())
	}
	cmd := exec.CommandContext(t.Context(), "python3", append([]string{"-c", script}, args...)...)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+libraries, "PYTHONDONTWRITEBYTECODE=1")
	return cmd
}

// libraries returns the folder of the installed libraries.
var libraries = sync.OnceValues(func() (string, error) {
	requirements := filepath.Join(fetched.Testdata("foreign"), "requirements.txt")
	text, err := os.ReadFile(requirements)
	if err != nil {
		return "", err
	}
	version, err := exec.Command("python3", "-c", "import sys; print(sys.version)").Output()
	if err != nil {
		return "", fmt.Errorf("python3: %w", err)
	}
	name := fmt.Sprintf("python-%.8x", sha256.Sum256(append(version, text...)))
	return fetched.Folder(name, func(ctx context.Context, dir string) error {
		out, err := exec.CommandContext(ctx, "python3", "-m", "pip", "install", "-q", "--only-binary=:all:", "--target", dir, "-r", requirements).CombinedOutput()
		if err != nil {
			return fmt.Errorf("pip: %w: %s", err, bytes.TrimSpace(out))
		}
		return nil
	})
})
