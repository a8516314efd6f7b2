package chaos

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"go.uber.org/goleak"

	"unfold/stream/chaos/results"
	"unfold/stream/kafka/kafkatest"
)

// binaries is a folder for the program that the tests start.
var binaries string

// TestMain runs the broker or decodes damaged messages if this process was started for that.
func TestMain(m *testing.M) {
	if asked, err := kafkatest.Serve(); asked {
		if err != nil {
			fmt.Fprintln(os.Stderr, "embedded broker:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if text := os.Getenv(mutateEnvironment); text != "" {
		if err := mutate(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	dir, err := os.MkdirTemp("", "chaos-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binaries = dir
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// number returns the value of an environment variable.
func number(t *testing.T, variable string, otherwise int) int {
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%s: want a number from 1", variable, text)
	}
	return n
}

// keep saves a result in the folder UNFOLD_CHAOS_RESULTS, if it is set.
func keep(t *testing.T, kind, name string, v any) {
	t.Helper()
	if err := results.Folder(os.Getenv("UNFOLD_CHAOS_RESULTS")).Save(kind, name, v); err != nil {
		t.Error(err)
	}
}
