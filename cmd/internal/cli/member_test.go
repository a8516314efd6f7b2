package cli

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"unfold/cmd/internal/web/webtest"
	"unfold/internal/outputlog"
	"unfold/stream/streamtest"
)

// member is a stage or another process, run in a goroutine.
type member struct {
	t         *testing.T
	log, out  outputlog.Journal
	interrupt context.CancelFunc
	ended     chan struct{}
	code      int // set once it has ended
}

// join starts a stage, which is stopped at the end of the test at the latest.
func join(t *testing.T, args ...string) *member {
	t.Helper()
	return start(t, "run", args...)
}

// start is join for another command.
func start(t *testing.T, verb string, args ...string) *member {
	t.Helper()
	ctx, interrupt := context.WithCancel(context.Background())
	m := &member{t: t, interrupt: interrupt, ended: make(chan struct{})}
	go func() {
		defer close(m.ended)
		m.code = Run(ctx, System{Args: append([]string{verb}, args...), Stdin: strings.NewReader(""), Stdout: &m.out, Stderr: &m.log})
	}()
	t.Cleanup(func() {
		m.leave()
		if t.Failed() {
			t.Logf("the log of unfold %s %s:\n%s", verb, strings.Join(args, " "), &m.log)
		}
	})
	return m
}

// wait waits for the end and returns the exit code.
func (m *member) wait() int {
	m.t.Helper()
	select {
	case <-m.ended:
	case <-time.After(streamtest.Patience):
		m.t.Fatal("a process did not end")
	}
	return m.code
}

// over reports whether the process has ended.
func (m *member) over() bool {
	select {
	case <-m.ended:
		return true
	default:
		return false
	}
}

// leave interrupts the process and returns its exit code.
func (m *member) leave() int {
	m.t.Helper()
	m.interrupt()
	return m.wait()
}

// said waits for a matching line in the log, and returns the submatches.
func (m *member) said(pattern string) (found []string) {
	m.t.Helper()
	return m.wrote(&m.log, pattern)
}

// wrote is said for the log or the output.
func (m *member) wrote(to *outputlog.Journal, pattern string) (found []string) {
	m.t.Helper()
	line := regexp.MustCompile(pattern)
	streamtest.Await(m.t, "a log has "+pattern, func() bool {
		over := m.over()
		if found = line.FindStringSubmatch(to.String()); found == nil && over {
			m.t.Fatalf("a process ended with exit code %d and never said %s", m.code, pattern)
		}
		return found != nil
	})
	return found
}

func (m *member) address() string {
	m.t.Helper()
	return m.said(`answering on http://(\S+) `)[1]
}

// runUntil starts the stage, waits for a line in its log, calls do and interrupts it. It has to end
// in order. It returns the log.
func runUntil(t *testing.T, configuration, line string, do func(address string)) string {
	t.Helper()
	m := join(t, "-c", configuration)
	m.said(line)
	do(m.address())
	if code := m.leave(); code != 0 {
		t.Errorf("exit %d:\n%s", code, &m.log)
	}
	return m.log.String()
}

// get returns the status and the body of a page.
func get(t *testing.T, address, path string) (int, string) {
	t.Helper()
	client, url := webtest.Client(address)
	client.Timeout = streamtest.Patience
	resp, err := client.Get(url + path)
	return read(t, resp, err)
}

// read is webtest.Read of text.
func read(t *testing.T, resp *http.Response, err error) (int, string) {
	t.Helper()
	status, body := webtest.Read(t, resp, err)
	return status, string(body)
}
