//go:build unix

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas/blas64"

	"unfold/internal/simd/gemm"
)

func TestRunReturnsTheExitCode(t *testing.T) {
	for _, c := range []struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		{[]string{"version"}, 0, "unfold ", ""},
		{[]string{"--help"}, 0, "Usage: unfold <command>", ""},
		{nil, 2, "", "Usage: unfold <command>"},
		{[]string{"inspect", "there-is-no-such-file"}, 3, "", "the file does not exist"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(context.Background(), c.args, strings.NewReader(""), &stdout, &stderr)
		if code != c.code || !strings.Contains(stdout.String(), c.stdout) || !strings.Contains(stderr.String(), c.stderr) {
			t.Errorf("unfold %v: exit %d, %q, %q", c.args, code, &stdout, &stderr)
		}
	}
}

// The program's dense products use package gemm.
func TestRunUsesOurProducts(t *testing.T) {
	if code := run(context.Background(), []string{"version"}, strings.NewReader(""), io.Discard, io.Discard); code != 0 {
		t.Fatalf("exit %d", code)
	}
	if _, ok := blas64.Implementation().(gemm.Implementation); !ok {
		t.Errorf("gonum computes with %T", blas64.Implementation())
	}
}

// A signal ends a command in order, with a message and exit code 1.
func TestSignal(t *testing.T) {
	// A signal before or after the program handles it must not end the test.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGTERM)
	defer signal.Stop(caught)
	r, w, err := os.Pipe() // standard input without an end
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var stdout, stderr bytes.Buffer
	done := make(chan int, 1)
	go func() {
		done <- run(context.Background(), []string{"-q", "demo", "--out", t.TempDir(), "--rate", "100"}, r, &stdout, &stderr)
	}()
	again := time.NewTicker(time.Second)
	defer again.Stop()
	for end := time.Now().Add(time.Minute); ; {
		select {
		case code := <-done:
			if code != 1 || !strings.Contains(stderr.String(), "interrupted") {
				t.Errorf("exit %d, %q", code, &stderr)
			}
			return
		case at := <-again.C:
			if at.After(end) {
				t.Fatal("it did not end within a minute of the signal")
			}
			if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}
	}
}
