package cli

import (
	"bytes"
	"context"
	"net"
	"strings"
	"testing"
)

// TestRunStoppedEarly: a stage that is stopped while it waits for a broker ends in order.
func TestRunStoppedEarly(t *testing.T) {
	t.Chdir(t.TempDir())
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	go func() {
		if c, err := silent.Accept(); err == nil { // the stage has connected and now waits for a response
			defer c.Close()
			interrupt()
			<-t.Context().Done()
		}
	}()
	var log bytes.Buffer
	code := Run(ctx, System{Args: []string{"run", "--source-kafka-brokers", silent.Addr().String(), "--source-kafka-topic", "events", "--source-vector", "v",
		"--sink-kafka-topic", "places", "--state", "none", "--http", "off"}, Stdin: strings.NewReader(""), Stdout: &log, Stderr: &log})
	if code != 0 || !strings.Contains(log.String(), "stopped before it began to read") {
		t.Errorf("exit %d:\n%s", code, &log)
	}
}
