package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// served is a process that runs until it is told to stop.
type served struct {
	cmd  *exec.Cmd
	log  bytes.Buffer
	gone chan error
}

// serve starts a program with as many threads as all.
func (b *bench) serve(name string, args ...string) (*served, error) {
	s := &served{cmd: exec.Command(name, args...), gone: make(chan error, 1)}
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	s.cmd.Env = append(os.Environ(), threadVariables(b.threads)...)
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { s.gone <- s.cmd.Wait() }()
	return s, nil
}

// patienceToStop is how long a process may take to finish what it has begun.
const patienceToStop = 20 * time.Second

// stop interrupts the process and waits until it has ended.
func (s *served) stop() error {
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		return s.failed(err)
	}
	select {
	case err := <-s.gone:
		if err != nil {
			return s.failed(err)
		}
		return nil
	case <-time.After(patienceToStop):
		_ = s.cmd.Process.Kill()
		<-s.gone
		return s.failed(fmt.Errorf("it had to be killed"))
	}
}

func (s *served) failed(err error) error {
	return fmt.Errorf("%s %s: %w\n%s", filepath.Base(s.cmd.Path), strings.Join(s.cmd.Args[1:], " "), err, s.log.String())
}

// until polls until something holds, the process ends or the context is done.
func (s *served) until(ctx context.Context, holds func() (bool, error)) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		ok, err := holds()
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-s.gone:
			s.gone <- err
			return s.failed(fmt.Errorf("it ended by itself: %v", err))
		case <-tick.C:
		}
	}
}

// cpuOf returns the seconds of processor time that a process has taken, 0 where the
// system does not tell (it is told in hundredths, in /proc).
func cpuOf(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name, in brackets, may hold anything; user and system time are the 12th and
	// 13th fields after it.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, err1 := strconv.ParseFloat(fields[11], 64)
	system, err2 := strconv.ParseFloat(fields[12], 64)
	if err1 != nil || err2 != nil {
		return 0
	}
	return (user + system) / 100
}
