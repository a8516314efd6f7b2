//go:build linux

package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"unfold/ingest/ingesttest"
	"unfold/internal/procfs"
	"unfold/internal/testkit/tier"
)

// bombMemory is the memory limit for untrusted files. bombPeak is the most memory of all processes
// of a command: code, stacks and the waiting processes add to the limit.
const (
	bombMemory = "512MiB"
	bombPeak   = 700_000_000
)

// bombTime is the CPU time that a command may use on a bomb. Some bombs only have very many rows,
// which a command that stores none reads to the end. Until then the test watches its memory.
const bombTime = 3 * time.Second

// everyBomb runs every command on every bomb, which takes half an hour: make bombs. Otherwise the
// full tier runs two of the thirteen commands, in turn, on every sixth bomb.
var everyBomb = os.Getenv("UNFOLD_BOMBS") == "all"

// quickBombs are the bombs of the quick tier.
var quickBombs = []string{"footer.parquet", "lengths.arrows", "shape.npy"}

// TestBombs runs every reading command on small files that decode to gigabytes, or claim to. With
// --untrusted no command exceeds its limit, and each ends in order.
func TestBombs(t *testing.T) {
	t.Chdir(workspace(t))
	places := strings.Replace(smallCSV(), "name,x,y,", "name,embedding_0,embedding_1,", 1)
	write(t, "places.csv", places)
	must(t, "-q", "fit", "places.csv", "--columns", "embedding_0,embedding_1", "--steps", "5", "-o", "d.unfold")
	must(t, "-q", "fit", "places.csv", "--columns", "embedding_0,embedding_1", "--kind", "pca", "-o", "pca.unfold")
	t.Setenv("TMPDIR", t.TempDir())
	highest, worst := int64(0), ""
	readers := slices.DeleteFunc(slices.Clone(commands), func(c command) bool { return !c.reads })
	for i, bomb := range ingesttest.Bombs() {
		quick := slices.Contains(quickBombs, bomb.Name)
		if !quick && !(tier.All() && (everyBomb || i%6 == 0)) {
			continue
		}
		t.Run(bomb.Name, func(t *testing.T) {
			path := written(t, bomb)
			for k, c := range readers {
				if tier.All() && (everyBomb || (k+5*i)%len(readers) < 2) || quick && slices.Contains([]string{"fit", "inspect"}, c.name) {
					t.Run(c.name, func(t *testing.T) {
						if peak := explode(t, c.name, bomb, filepath.Clean(path)); peak > highest {
							highest, worst = peak, c.name+" "+bomb.Name
						}
					})
				}
			}
			if err := os.Remove(path); err != nil {
				t.Error(err)
			}
		})
	}
	t.Logf("the highest peak is %d MB, of %s", highest/1e6, worst)
}

// writeBomb is the environment variable that makes this test binary write a bomb and exit.
const writeBomb = "UNFOLD_TEST_WRITE_BOMB"

// written writes a bomb in another process, because writing takes much memory, which other tests
// measure in this process.
func written(t *testing.T, bomb ingesttest.Bomb) (path string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self)
	c.Env = append(os.Environ(), writeBomb+"="+bomb.Name)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// writeOne writes the named bomb to the current folder and prints its path.
func writeOne(name string) int {
	for _, bomb := range ingesttest.Bombs() {
		if bomb.Name == name {
			path, err := bomb.Write(".")
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				return exitFailed
			}
			fmt.Println(path)
			return exitDone
		}
	}
	return exitUsage
}

// explode runs a command on a bomb and returns its peak memory.
func explode(t *testing.T, verb string, bomb ingesttest.Bomb, path string) int64 {
	line := strings.Replace(hogged[verb], "decode -m d.unfold", "decode -m pca.unfold", 1)
	if bomb.Plain && slices.Contains([]string{"fit", "clusters", "demo"}, verb) {
		line += " --columns *"
	}
	took, peak, code, said := bombed(t, append(words(line), path))
	t.Logf("exit %d after %v, %d MB: %s", code, took.Round(time.Millisecond), peak/1e6, strings.TrimSpace(said))
	if peak > bombPeak {
		t.Errorf("it takes %d MB of memory", peak/1e6)
	}
	if !slices.Contains([]int{exitDone, exitFailed, exitUsage, exitBadInput}, code) || strings.Contains(said, "goroutine") {
		t.Errorf("exit %d, %s", code, said)
	}
	return peak
}

// bombed runs a command under the limit. It returns its time, exit code and output, and the peak
// memory of all its processes in bytes.
func bombed(t *testing.T, args []string) (took time.Duration, peak int64, code int, said string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, self, append([]string{"-q", "--untrusted", bombMemory}, args...)...)
	c.Env = append(os.Environ(), asProgram+"=1")
	var text strings.Builder
	c.Stderr = &text
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = time.Minute
	begin := time.Now()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	var most atomic.Int64
	go func() {
		defer close(stopped)
		every := time.NewTicker(20 * time.Millisecond)
		defer every.Stop()
		for {
			select {
			case <-stop:
				return
			case <-every.C:
				u := usedBy(t, c.Process.Pid)
				if most.Store(max(most.Load(), u.own, u.most)); u.time > bombTime {
					cancel()
				}
			}
		}
	}()
	_ = c.Wait() // only the exit code matters
	close(stop)
	<-stopped
	peak = most.Load()
	// The peak of child processes reported by the system (Rusage) would include the size of this
	// test process.
	return time.Since(begin), peak, c.ProcessState.ExitCode(), text.String()
}

// consumption is the resource use of processes.
type consumption struct {
	// own is the present private memory of all processes. most is the largest peak of a single
	// process, including its code.
	own, most int64
	time      time.Duration // CPU time
}

// usedBy returns the resource use of a process and its children.
func usedBy(t *testing.T, pid int) (u consumption) {
	own, _ := procfs.Memory(pid, "RssAnon")
	most, _ := procfs.Memory(pid, "VmHWM") // a process that ends has none
	u = consumption{own, most, used(t, pid)}
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, path := range tasks {
		children, _ := os.ReadFile(path) // an ended thread has none
		for _, child := range strings.Fields(string(children)) {
			var n int
			if _, err := fmt.Sscan(child, &n); err == nil {
				c := usedBy(t, n)
				u = consumption{u.own + c.own, max(u.most, c.most), u.time + c.time}
			}
		}
	}
	return u
}
