package kafkatest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"unfold/stream/kafka/kafkatest/apache"
)

// environment is the variable that makes the test's binary a broker: address, advertised address
// and folder, separated by spaces.
const environment = "UNFOLD_TEST_BROKER"

// Serve must be called first in TestMain. In a process that was started as an embedded broker, it
// runs the broker until standard input ends, and returns true.
func Serve() (bool, error) {
	text := os.Getenv(environment)
	if text == "" {
		return false, nil
	}
	var addr, advertised, dir string
	if _, err := fmt.Sscan(text, &addr, &advertised, &dir); err != nil {
		return true, fmt.Errorf("%s=%s: %w", environment, text, err)
	}
	listen := func(network, _ string) (net.Listener, error) {
		l, err := net.Listen(network, addr)
		if err != nil {
			return nil, err
		}
		a, err := net.ResolveTCPAddr("tcp", advertised)
		return elsewhere{l, a}, err
	}
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.ListenFn(listen), kfake.DataDir(dir),
		kfake.GroupMinSessionTimeout(time.Second), kfake.BrokerConfigs(map[string]string{"group.initial.rebalance.delay.ms": "0"}))
	if err != nil {
		return true, err
	}
	defer c.Close()
	fmt.Println("ready")
	_, err = io.Copy(io.Discard, os.Stdin)
	return true, err
}

// elsewhere is a listener that reports another address.
type elsewhere struct {
	net.Listener
	addr net.Addr
}

func (l elsewhere) Addr() net.Addr { return l.addr }

// Embedded is an embedded broker in a process of its own.
type Embedded struct {
	t                     testing.TB
	addr, advertised, dir string

	cmd   *exec.Cmd
	stdin io.Closer
}

// StartEmbedded starts a broker. It sends clients to the address advertised, by default its own.
func StartEmbedded(t testing.TB, advertised string) *Embedded {
	t.Helper()
	b := &Embedded{t: t, addr: FreeAddress(t), advertised: advertised, dir: t.TempDir()}
	if advertised == "" {
		b.advertised = b.addr
	}
	t.Cleanup(b.stop)
	b.Start()
	return b
}

// Name describes the broker.
func (*Embedded) Name() string { return "embedded" }

// Addr returns the broker's address.
func (b *Embedded) Addr() string { return b.addr }

// Client returns a client that ignores the advertised address.
func (b *Embedded) Client(t testing.TB) *Client {
	// A producer that is not idempotent can continue after a broker has lost its state.
	return NewClient(t, []string{b.addr}, kgo.DisableIdempotentWrite(), kgo.Dialer(func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == b.advertised {
			address = b.addr
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}))
}

// Start starts the broker, or restarts it after Kill, and waits until it is ready.
func (b *Embedded) Start() {
	b.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %s", environment, b.addr, b.advertised, b.dir))
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.cmd, b.stdin = cmd, stdin
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || strings.TrimSpace(line) != "ready" {
		b.t.Fatalf("the embedded broker did not start: %q, %v", line, err)
	}
}

// Kill kills the broker, like a crash.
func (b *Embedded) Kill() {
	b.t.Helper()
	if err := b.cmd.Process.Kill(); err != nil {
		b.t.Fatal(err)
	}
	b.stop()
}

func (b *Embedded) stop() {
	if b.cmd == nil {
		return
	}
	b.stdin.Close()
	var exit *exec.ExitError
	if err := b.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		b.t.Error(err)
	}
	b.cmd = nil
}

// FreeAddress returns an unused local address.
func FreeAddress(t testing.TB) string {
	t.Helper()
	addr, err := apache.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	return addr
}

// KillLeader is Kill, because the broker leads all partitions.
func (b *Embedded) KillLeader(string, int) { b.Kill() }
