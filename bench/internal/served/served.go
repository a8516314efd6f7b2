// Package served runs programs that serve until they are asked to stop, such as stages
// and brokers' clients, for programs that measure them: it keeps what they say, sees
// when they end by themselves, and reads what processor time they take.
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

// Process is a program that runs until it is asked to stop.
type Process struct {
	// Log is what it says, on standard output and standard error.
	Log  outputlog.Journal
	cmd  *exec.Cmd
	gone chan error
}

// Start starts a program in this process's environment, with more variables. Those that
// are settings of a stage (UNFOLD_...) it does not get.
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

// patience is how long a process may take to finish what it has begun.
const patience = 20 * time.Second

// Stop interrupts the process and waits until it has ended, however it did. One that
// takes too long is killed, which is an error.
func (p *Process) Stop() error {
	_ = p.cmd.Process.Signal(os.Interrupt) // it may have ended by itself; how it did is reported below
	select {
	case err := <-p.gone:
		return p.Failed(err)
	case <-time.After(patience):
		return p.Failed(errors.Join(errors.New("it had to be killed"), p.cmd.Process.Kill(), <-p.gone))
	}
}

// Failed is an error with the process's command line and what it has said; nil of none.
func (p *Process) Failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w\n%s", filepath.Base(p.cmd.Path), strings.Join(p.cmd.Args[1:], " "), err, p.Log.String())
}

// CPU is the processor time that it has taken so far, as CPUOf has it.
func (p *Process) CPU() float64 { return CPUOf(p.cmd.Process.Pid) }

// Until polls until something holds or fails, the context is done, or one of the
// processes has ended by itself.
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
