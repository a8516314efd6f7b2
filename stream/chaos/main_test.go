package chaos

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"unfold/stream/kafka/kafkatest"
)

// binaries is a folder for the program that the runs start.
var binaries string

// TestMain is the broker, or decodes damaged messages, if this process was started
// to do that.
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
