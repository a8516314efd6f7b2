//go:build linux

package chaos

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"unfold/internal/outputlog"
)

// program builds the program once, or returns the path in UNFOLD_BINARY.
var program = sync.OnceValues(func() (string, error) {
	if path := os.Getenv("UNFOLD_BINARY"); path != "" {
		return filepath.Abs(path)
	}
	path := filepath.Join(binaries, "unfold")
	out, err := exec.Command("go", "build", "-o", path, "unfold/cmd/unfold").CombinedOutput()
	if err != nil {
		return "", errors.Join(err, errors.New(string(out)))
	}
	return path, nil
})

// process is a running stage.
type process struct {
	cmd  *exec.Cmd
	log  *outputlog.Journal
	gone chan struct{} // closed when it has ended; err is its error
	err  error
}

// mostLog is the maximum number of bytes of a process's log that are kept.
const mostLog = 1 << 20

// launch starts a stage with a configuration. It is killed at the end of the test.
func launch(t *testing.T, configuration string) *process {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: exec.Command(path, "run", "-c", configuration), log: &outputlog.Journal{Most: mostLog}, gone: make(chan struct{})}
	p.cmd.Stderr = p.log
	p.cmd.Env = slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "UNFOLD_") })
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.gone)
	}()
	t.Cleanup(p.kill)
	return p
}

// kill kills the process like a crash, and waits for its end.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended by itself
	<-p.gone
}

func (p *process) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
}

// alive reports whether the process still runs.
func (p *process) alive() bool {
	select {
	case <-p.gone:
		return false
	default:
		return true
	}
}

// ran reports whether the process reached its topics.
func (p *process) ran() bool { return strings.Contains(p.log.String(), "reading topic ") }

// owns reports whether the process has a share of the source, according to its log.
func (p *process) owns() bool {
	log := p.log.String()
	return p.alive() && strings.LastIndex(log, "reading 4 partitions") > strings.LastIndex(log, "gave back")
}

// refused reports whether the process ended because another one has the group.
func (p *process) refused() bool {
	return !p.alive() && p.cmd.ProcessState.ExitCode() == 1 && strings.Contains(p.log.String(), "group "+group+" is taken by ")
}

// stop asks the process to end, which must succeed within 10 s.
func (p *process) stop(t *testing.T) {
	t.Helper()
	p.signal(t, syscall.SIGTERM)
	select {
	case <-p.gone:
		if p.err != nil {
			t.Errorf("asked to stop, it ended with %v:\n%s", p.err, p.log)
		}
	case <-time.After(12 * time.Second):
		t.Errorf("asked to stop, it did not within 12 s:\n%s", p.log)
		p.kill()
	}
}
