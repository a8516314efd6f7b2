// Package served runs programs that serve until they are stopped, such as stages and brokers'
// clients, for measuring programs. It collects their output, detects unexpected ends, and reads
// their processor time.
package served

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"unfold/internal/outputlog"
)

// Process is a program that runs until it is stopped.
type Process struct {
	// Log is its standard output and standard error.
	Log  outputlog.Journal
	cmd  *exec.Cmd
	gone chan error
}

// Start starts a program in this process's environment with additional variables. Settings of a
// stage (UNFOLD_...) are removed.
func Start(variables []string, name string, args ...string) (*Process, error) {
	p := &Process{cmd: exec.Command(name, args...), gone: make(chan error, 1)}
	p.cmd.Stdout, p.cmd.Stderr = &p.Log, &p.Log
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "UNFOLD_") {
			p.cmd.Env = append(p.cmd.Env, v)
		}
	}
	p.cmd.Env = append(p.cmd.Env, variables...)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { p.gone <- p.cmd.Wait() }()
	return p, nil
}

// patience is the time that a process has to stop.
const patience = 20 * time.Second

// Stop interrupts the process and waits for its end. If that takes too long, it kills the process
// and returns an error.
func (p *Process) Stop() error {
	_ = p.cmd.Process.Signal(os.Interrupt) // the process may have ended already; the result is reported below
	select {
	case err := <-p.gone:
		return p.Failed(err)
	case <-time.After(patience):
		return p.Failed(errors.Join(errors.New("it had to be killed"), p.cmd.Process.Kill(), <-p.gone))
	}
}

// Failed adds the command line and the output of the process to an error; nil stays nil.
func (p *Process) Failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w\n%s", filepath.Base(p.cmd.Path), strings.Join(p.cmd.Args[1:], " "), err, p.Log.String())
}

// CPU returns its processor time so far, see CPUOf.
func (p *Process) CPU() float64 { return CPUOf(p.cmd.Process.Pid) }

// Until polls until a condition holds or fails, ctx ends, or one of the processes ends
// unexpectedly.
func Until(ctx context.Context, holds func() (bool, error), all ...*Process) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if ok, err := holds(); ok || err != nil {
			return err
		}
		for _, p := range all {
			select {
			case err := <-p.gone:
				p.gone <- err // for Stop
				return p.Failed(fmt.Errorf("it ended by itself: %v", err))
			default:
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
