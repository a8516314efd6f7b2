// Package registrytest runs schema registries for tests: one in the test's process (Fake), and a
// real one, Apicurio Registry, in its own process, in the version of testdata/registry. It needs
// java, and mvn on first use.
package registrytest

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"unfold/internal/fetched"
	"unfold/internal/java"
	"unfold/internal/testkit/tier"
	"unfold/stream/kafka/kafkatest/apache"
)

// Registry is a running registry.
type Registry struct {
	// URL is the address of Confluent's API.
	URL string

	t    testing.TB
	addr string
	dir  string

	cmd   *exec.Cmd
	stdin io.Closer
	gone  chan struct{}

	mu  sync.Mutex
	pid int
	log bytes.Buffer
}

// startTimeout is the time for a registry to become ready.
const startTimeout = 3 * time.Minute

// Start starts a registry that ends with the test, in the full tier; without java or mvn, see
// tier.Missing.
func Start(t testing.TB) *Registry {
	t.Helper()
	tier.Full(t, "it starts Apicurio Registry")
	begin := time.Now()
	dir, err := java.Fetched(filepath.Join(fetched.Testdata("registry"), "pom.xml"), "apicurio", unpack, "dependency:copy")
	if err != nil {
		tier.Missing(t, err.Error())
	}
	r := &Registry{t: t, dir: dir}
	if r.addr, err = apache.FreeAddress(); err != nil {
		t.Fatal(err)
	}
	r.URL = "http://" + r.addr + "/apis/ccompat/v7"
	t.Cleanup(r.Stop)
	r.Start()
	t.Logf("%s on %s, ready after %v", filepath.Base(dir), r.addr, time.Since(begin).Round(100*time.Millisecond))
	return r
}

// Start runs the registry, again after Stop, and waits until it is ready. It then has no schemas.
func (r *Registry) Start() {
	r.t.Helper()
	jars, err := filepath.Glob(filepath.Join(r.dir, "*-runner.jar"))
	if err != nil || len(jars) != 1 {
		r.t.Fatalf("%s holds %d programs: %v", r.dir, len(jars), err)
	}
	host, port, _ := strings.Cut(r.addr, ":")
	r.cmd = java.Guarded("java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-jar", jars[0])
	r.cmd.Env = append(os.Environ(), "QUARKUS_HTTP_HOST="+host, "QUARKUS_HTTP_PORT="+port)
	if r.stdin, err = r.cmd.StdinPipe(); err != nil {
		r.t.Fatal(err)
	}
	out, w, err := os.Pipe()
	if err != nil {
		r.t.Fatal(err)
	}
	r.cmd.Stdout, r.cmd.Stderr = w, w
	err = r.cmd.Start()
	w.Close()
	if err != nil {
		out.Close()
		r.t.Fatal(err)
	}
	r.gone = make(chan struct{})
	go r.listen(out)
	if err := r.await(); err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.t.Fatalf("the registry: %v; it said:\n%s", err, &r.log)
	}
}

// listen reads the registry's output until it ends.
func (r *Registry) listen(out io.ReadCloser) {
	defer close(r.gone)
	defer out.Close()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		r.mu.Lock()
		if n, ok := strings.CutPrefix(lines.Text(), "pid "); ok && r.pid == 0 {
			r.pid, _ = strconv.Atoi(n)
		}
		if r.log.Len() < 1<<20 {
			fmt.Fprintln(&r.log, lines.Text())
		}
		r.mu.Unlock()
	}
}

// await waits until the registry answers.
func (r *Registry) await() error {
	ctx, cancel := context.WithTimeout(r.t.Context(), startTimeout)
	defer cancel()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.URL+"/subjects", nil)
		if err != nil {
			return err
		}
		if answer, err := http.DefaultClient.Do(req); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-r.gone:
			return errors.New("it died")
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Compatibility sets the compatibility of a subject, or the default ("").
func (r *Registry) Compatibility(t testing.TB, subject, level string) {
	t.Helper()
	path := "/config"
	if subject != "" {
		path += "/" + subject
	}
	set, err := http.NewRequestWithContext(t.Context(), http.MethodPut, r.URL+path, strings.NewReader(fmt.Sprintf(`{"compatibility":%q}`, level)))
	if err != nil {
		t.Fatal(err)
	}
	set.Header.Set("Content-Type", "application/vnd.schemaregistry.v1+json")
	answer, err := http.DefaultClient.Do(set)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("the registry answers %s", answer.Status)
	}
}

// Stop kills the registry, if it runs, as in a crash.
func (r *Registry) Stop() {
	if r.cmd == nil {
		return
	}
	r.mu.Lock()
	pid := r.pid
	r.pid = 0
	r.mu.Unlock()
	if p, err := os.FindProcess(pid); pid > 0 && err == nil {
		_ = p.Kill()
	}
	r.stdin.Close()
	<-r.gone
	_ = r.cmd.Wait()
	r.cmd = nil
}

// unpack unpacks the only archive in a folder, and removes it.
func unpack(dir string) error {
	archives, err := filepath.Glob(filepath.Join(dir, "*.tar.gz"))
	if err != nil || len(archives) != 1 {
		return fmt.Errorf("%d archives: %w", len(archives), err)
	}
	f, err := os.Open(archives[0])
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return os.Remove(archives[0])
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		name := filepath.Clean(h.Name)
		if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := copyTo(root, name, t); err != nil {
			return err
		}
	}
}

func copyTo(root *os.Root, name string, from io.Reader) error {
	f, err := root.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close())
}
