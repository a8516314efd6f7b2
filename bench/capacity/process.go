package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// process is a member of the fleet.
type process struct {
	cmd  *exec.Cmd
	log  journal
	gone chan error
}

// journal keeps what a process says.
type journal struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.b.String()
}

// config is what the members' configurations differ in.
type config struct {
	role, in, out, group, state, every string
	points                             int
}

// start starts a member.
func (l *lab) start(addr string, c config) (*process, error) {
	store, err := filepath.Abs(filepath.Join(l.out, "maps"))
	if err != nil {
		return nil, err
	}
	path := filepath.Join(l.out, c.role+".yaml")
	text := fmt.Sprintf(`
role: %s
source: {kafka: {brokers: [%q], topic: %s, group: %s}, vector: v, id: event}
sink: {kafka: {topic: %s}}
snapshots: {store: "file://%s", topic: maps, name: capacity}
reference: {min: %d, size: %d}
refresh: {every: %s}
state: %q
http: "off"
`, c.role, addr, c.in, c.group, c.out, store, c.points, c.points, c.every, c.state)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command(l.unfold, "run", "-c", path), gone: make(chan error, 1)}
	p.cmd.Stderr = &p.log
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "UNFOLD_") {
			p.cmd.Env = append(p.cmd.Env, e)
		}
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { p.gone <- p.cmd.Wait() }()
	return p, nil
}

// stop asks it to end.
func (p *process) stop() error {
	_ = p.cmd.Process.Signal(os.Interrupt) // it may have ended by itself; then that is the error
	select {
	case err := <-p.gone:
		return p.failed(err)
	case <-time.After(20 * time.Second):
		return p.failed(errors.Join(errors.New("it does not end"), p.cmd.Process.Kill(), <-p.gone))
	}
}

func (p *process) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w\n%s", strings.Join(p.cmd.Args, " "), err, p.log.String())
}

// said counts the lines that match.
func (p *process) said(line *regexp.Regexp) int { return len(line.FindAllString(p.log.String(), -1)) }

// cpu is the processor time it has taken, in seconds.
func (p *process) cpu() float64 { return cpuOf(p.cmd.Process.Pid) }

// patience is how long anything may take.
const patience = 60 * time.Second

// until polls until something holds; none of the processes may end meanwhile.
func until(ctx context.Context, what string, members []*process, holds func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		if ok, err := holds(); ok || err != nil {
			return err
		}
		for _, p := range members {
			select {
			case err := <-p.gone:
				p.gone <- err
				return p.failed(fmt.Errorf("it ended by itself: %v", err))
			default:
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// cpuOf is the processor time of a process in seconds, which Linux tells in hundredths;
// 0 where it is not told.
func cpuOf(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, err1 := strconv.ParseFloat(fields[11], 64)
	system, err2 := strconv.ParseFloat(fields[12], 64)
	if errors.Join(err1, err2) != nil {
		return 0
	}
	return (user + system) / 100
}
