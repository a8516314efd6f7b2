// Package apache runs an Apache Kafka of one or several nodes in separate processes, for tests and
// measurements. It needs java, and mvn at the first time, to download the jars of testdata/kafka to
// the user's cache.
package apache

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"unfold/internal/java"
)

// Broker is an Apache Kafka with its data. It is used by one goroutine.
type Broker struct {
	// Addr is its advertised address, Inner its address behind any proxy.
	Addr, Inner string

	dir, libs, controller string
	node                  int

	cmd   *exec.Cmd
	stdin io.Closer
	pid   int
	gone  chan struct{}
	log   *bytes.Buffer
}

// ErrUnavailable means that this machine cannot run a broker.
var ErrUnavailable = errors.New("no Apache Kafka here")

// startTimeout bounds the time until a broker is ready.
const startTimeout = 2 * time.Minute

// New prepares a broker with its data in a new folder. It sends clients to the address advertised,
// which may be a proxy; by default its own. Errors match ErrUnavailable if java is missing, or the
// jars and mvn. Remove deletes the folder.
func New(advertised string) (*Broker, error) {
	brokers, err := prepare(1, advertised, "")
	if err != nil {
		return nil, err
	}
	return brokers[0], nil
}

// NewCluster prepares a cluster of n brokers like New. More than half of them must run before any
// is ready, so start them concurrently.
func NewCluster(n int) ([]*Broker, error) { return prepare(n, "", "") }

// prepare prepares n brokers. settings follow those of the template.
func prepare(n int, advertised, settings string) (brokers []*Broker, err error) {
	libs, err := jars()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer func() {
		if err != nil {
			for _, b := range brokers {
				err = errors.Join(err, b.Remove())
			}
		}
	}()
	voters := make([]string, n)
	for i := range n {
		// The broker splits its folder's name at commas, so it cannot be the caller's.
		dir, err := os.MkdirTemp("", "kafka-")
		if err != nil {
			return brokers, err
		}
		b := &Broker{dir: dir, libs: libs, node: i + 1}
		brokers = append(brokers, b)
		for _, address := range []*string{&b.Addr, &b.Inner, &b.controller} {
			if *address, err = FreeAddress(); err != nil {
				return brokers, err
			}
		}
		voters[i] = fmt.Sprintf("%d@%s", b.node, b.controller)
	}
	for _, b := range brokers {
		if err := b.format(advertised, settings, voters); err != nil {
			return brokers, err
		}
	}
	return brokers, nil
}

// format writes the settings and formats the data folder.
func (b *Broker) format(advertised, settings string, voters []string) error {
	if advertised == "" {
		advertised = b.Addr
	}
	template, err := os.ReadFile(filepath.Join(configuration(), "server.properties"))
	if err != nil {
		return err
	}
	replicas := min(len(voters), 3)
	text := strings.NewReplacer("@ADDR@", b.Addr, "@ADVERTISED@", advertised, "@INNER@", b.Inner, "@CONTROLLER@", b.controller, "@DIR@", b.dir,
		"@NODE@", strconv.Itoa(b.node), "@VOTERS@", strings.Join(voters, ","), "@REPLICAS@", strconv.Itoa(replicas), "@INSYNC@", strconv.Itoa((replicas+1)/2)).
		Replace(string(template) + settings)
	if err := os.WriteFile(b.config(), []byte(text), 0o600); err != nil {
		return err
	}
	out, err := exec.Command("java", "-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp", b.classes(), "kafka.tools.StorageTool",
		"format", "-t", "4L6g3nShT-eMCtK--X86sw", "-c", b.config()).CombinedOutput()
	if err != nil {
		return fmt.Errorf("formatting: %w\n%s", err, out)
	}
	return nil
}

func (b *Broker) config() string  { return filepath.Join(b.dir, "server.properties") }
func (b *Broker) classes() string { return filepath.Join(b.libs, "*") }

// Version returns the version in the jars' names.
func (b *Broker) Version() string { return strings.TrimPrefix(filepath.Base(b.libs), "kafka-") }

// Node is the broker's number in its cluster, from 1.
func (b *Broker) Node() int { return b.node }

// PID returns the process id of the running broker.
func (b *Broker) PID() int { return b.pid }

// Start starts the broker, or restarts it after Kill, and waits until it is ready. A shell in
// between stops the broker when its standard input ends, for instance because this process dies.
func (b *Broker) Start(ctx context.Context) error {
	b.cmd = java.Guarded("java", "-Xms128m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
		"-Djava.awt.headless=true", "-Dorg.slf4j.simpleLogger.defaultLogLevel=info", "-cp", b.classes(), "kafka.Kafka", b.config())
	stdin, err := b.cmd.StdinPipe()
	if err != nil {
		return err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	b.cmd.Stdout, b.cmd.Stderr = w, w
	err = b.cmd.Start()
	w.Close()
	if err != nil {
		r.Close()
		b.cmd = nil
		return err
	}
	b.stdin, b.gone, b.log = stdin, make(chan struct{}), &bytes.Buffer{}
	ready := make(chan bool, 1)
	go b.listen(r, ready)
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	select {
	case ok := <-ready:
		if ok {
			return nil
		}
		err = errors.New("the broker died")
	case <-ctx.Done():
		err = fmt.Errorf("the broker was not ready in time: %w", ctx.Err())
	}
	return errors.Join(err, b.Stop(), fmt.Errorf("it said:\n%s", b.log))
}

// listen reads the broker's output until it ends.
func (b *Broker) listen(r io.ReadCloser, ready chan<- bool) {
	defer close(b.gone)
	defer r.Close()
	defer close(ready)
	for lines := bufio.NewScanner(r); lines.Scan(); {
		line := lines.Text()
		if n, ok := strings.CutPrefix(line, "pid "); ok && b.pid == 0 {
			b.pid, _ = strconv.Atoi(n)
		}
		if b.log.Len() < 1<<20 {
			fmt.Fprintln(b.log, line)
		}
		if strings.Contains(line, "Kafka Server started") {
			ready <- true
		}
	}
}

// Kill kills the broker, like a crash.
func (b *Broker) Kill() error {
	if b.pid == 0 {
		return errors.New("the broker does not run")
	}
	process, err := os.FindProcess(b.pid)
	if err == nil {
		err = process.Kill()
	}
	if err != nil {
		return err
	}
	return b.Stop()
}

// Stop stops the broker if it is running.
func (b *Broker) Stop() error {
	if b.cmd == nil {
		return nil
	}
	b.stdin.Close()
	<-b.gone
	err := b.cmd.Wait()
	b.cmd, b.pid = nil, 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil
	}
	return err
}

// Remove stops the broker and deletes its data.
func (b *Broker) Remove() error { return errors.Join(b.Stop(), os.RemoveAll(b.dir)) }

// FreeAddress returns an unused local address. Its port is below the range for outgoing
// connections. Otherwise such a connection could take it before a broker starts or while it is
// down.
func FreeAddress() (addr string, err error) {
	const lowest, ports, attempts = 20_000, 12_000, 1000
	for range attempts {
		port := lowest + (os.Getpid()*101+int(serial.Add(1)))%ports
		var l net.Listener
		if l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			return l.Addr().String(), l.Close()
		}
	}
	return "", err
}

// serial numbers the ports that were tried.
var serial atomic.Int64
