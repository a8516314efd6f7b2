package kafkatest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Real is a running Apache Kafka of one node.
type Real struct {
	t testing.TB
	// Addr is where it listens, Inner where its brokers do among themselves.
	addr, inner string
	dir         string
	libs        string

	cmd   *exec.Cmd
	stdin io.Closer
	pid   int
	gone  chan struct{}
	log   *bytes.Buffer
}

// StartReal starts a broker, or skips the test where there is no java or mvn; with
// UNFOLD_REQUIRE_KAFKA=1 it fails instead. Clients that connect are sent to the
// address advertised, by default the broker's own: a proxy may stand there.
func StartReal(t testing.TB, advertised string) *Real {
	t.Helper()
	skip := t.Skipf
	if os.Getenv("UNFOLD_REQUIRE_KAFKA") == "1" {
		skip = t.Fatalf
	}
	for _, tool := range []string{"java", "mvn"} {
		if _, err := exec.LookPath(tool); err != nil {
			skip("no real Kafka here: %v", err)
		}
	}
	libs, err := jars()
	if err != nil {
		skip("no real Kafka here: %v", err)
	}
	// The broker reads its folder as a list with commas, which a test's name may have.
	dir, err := os.MkdirTemp("", "kafka-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	b := &Real{t: t, dir: dir, libs: libs, addr: FreeAddress(t), inner: FreeAddress(t)}
	if advertised == "" {
		advertised = b.addr
	}
	template, err := os.ReadFile(filepath.Join(configuration(), "server.properties"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("@ADDR@", b.addr, "@ADVERTISED@", advertised, "@INNER@", b.inner, "@CONTROLLER@", FreeAddress(t), "@DIR@", b.dir).
		Replace(string(template))
	if err := os.WriteFile(b.config(), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	out, err := exec.Command("java", "-Xmx128m", "-XX:TieredStopAtLevel=1", "-cp", filepath.Join(libs, "*"), "kafka.tools.StorageTool",
		"format", "-t", "4L6g3nShT-eMCtK--X86sw", "-c", b.config()).CombinedOutput()
	if err != nil {
		t.Fatalf("formatting: %v\n%s", err, out)
	}
	b.Start()
	t.Cleanup(b.stop)
	t.Logf("Apache Kafka from %s on %s, ready after %v", filepath.Base(libs), b.addr, time.Since(start).Round(100*time.Millisecond))
	return b
}

// Addr is where the broker listens.
func (b *Real) Addr() string { return b.addr }

// Client returns a client that goes around what is advertised.
func (b *Real) Client(t testing.TB) *Client {
	return NewClient(t, []string{b.inner}, kgo.DisableIdempotentWrite())
}

func (b *Real) config() string { return filepath.Join(b.dir, "server.properties") }

// jars returns the folder of Kafka's jars; it fetches them the first time.
func jars() (string, error) {
	pom, err := os.ReadFile(filepath.Join(configuration(), "pom.xml"))
	if err != nil {
		return "", err
	}
	version := regexp.MustCompile(`<kafka\.version>(.+)</kafka\.version>`).FindSubmatch(pom)
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "unfold-test", "kafka-"+string(version[1]))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "fetching-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "mvn", "-q", "-B", "-f", filepath.Join(configuration(), "pom.xml"), "dependency:copy-dependencies",
		"-DincludeScope=runtime", "-DoutputDirectory="+tmp).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("mvn: %w: %s", err, bytes.TrimSpace(out))
	}
	if err := os.Rename(tmp, dir); err != nil {
		if _, there := os.Stat(dir); there != nil {
			return "", err
		}
	}
	return dir, nil
}

// configuration is the folder that holds the broker's settings and what it is made of.
func configuration() string {
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	return filepath.Join(dir, "testdata", "kafka")
}

// Start runs the broker, again after Kill, and waits until it is ready. A shell stands between:
// when its standard input ends, which it also does if this test dies, it stops
// the broker.
func (b *Real) Start() {
	b.t.Helper()
	const script = `"$@" & p=$!; echo "pid $p"; cat >/dev/null; kill $p 2>/dev/null; wait $p`
	b.cmd = exec.Command("sh", "-c", script, "sh", "java", "-Xms128m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
		"-Djava.awt.headless=true", "-Dorg.slf4j.simpleLogger.defaultLogLevel=info", "-cp", filepath.Join(b.libs, "*"), "kafka.Kafka", b.config())
	stdin, err := b.cmd.StdinPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		b.t.Fatal(err)
	}
	b.cmd.Stdout, b.cmd.Stderr = w, w
	if err := b.cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	w.Close()
	b.stdin, b.gone, b.log = stdin, make(chan struct{}), &bytes.Buffer{}
	ready := make(chan bool, 1)
	go func() {
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
	}()
	select {
	case ok := <-ready:
		if !ok {
			b.t.Fatalf("the broker died:\n%s", b.log)
		}
	case <-time.After(60 * time.Second):
		b.stop()
		b.t.Fatalf("the broker was not ready in 60 s:\n%s", b.log)
	}
}

// Kill ends the broker as a crash would.
func (b *Real) Kill() {
	b.t.Helper()
	if err := syscall.Kill(b.pid, syscall.SIGKILL); err != nil {
		b.t.Fatal(err)
	}
	b.stop()
}

func (b *Real) stop() {
	if b.cmd == nil {
		return
	}
	b.stdin.Close()
	<-b.gone
	var exit *exec.ExitError
	if err := b.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		b.t.Error(err)
	}
	b.cmd, b.pid = nil, 0
}
