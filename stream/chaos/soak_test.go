//go:build linux

package chaos

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"unfold/stream/chaos/results"
	"unfold/stream/kafka/kafkatest"
)

// sample is the resource use of a stage at one time.
type sample struct {
	seconds           float64
	memory            float64 // bytes, see look
	goroutines, files float64
}

// TestSoak runs a stage at a steady rate for UNFOLD_SOAK_TIME, with constant refreshes.
// UNFOLD_SOAK_EVERY is the pause between two messages of a partition. After a third of the time the
// reference set has long been full; memory, goroutines and open files must have stopped growing.
func TestSoak(t *testing.T) {
	text := os.Getenv("UNFOLD_SOAK_TIME")
	if text == "" {
		t.Skip("UNFOLD_SOAK_TIME says how long")
	}
	long, err := time.ParseDuration(text)
	if err != nil || long < 20*time.Second {
		t.Fatalf("UNFOLD_SOAK_TIME=%s: want 20s or more", text)
	}
	every := 10 * time.Millisecond
	if text := os.Getenv("UNFOLD_SOAK_EVERY"); text != "" {
		if every, err = time.ParseDuration(text); err != nil || every < time.Millisecond {
			t.Fatalf("UNFOLD_SOAK_EVERY=%s: want 1ms or more", text)
		}
	}
	w := begin(t, scenario{every: every, address: kafkatest.FreeAddress(t)}, 1)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var loading sync.WaitGroup
	loading.Go(func() {
		if err := w.load.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	defer loading.Wait()
	defer stop()
	m := w.join()
	w.await("there is a map", func() bool { return strings.Contains(m.log.String(), "map version 1 ") })

	var samples []sample
	begun, written := time.Now(), w.load.Written()
	for time.Since(begun) < long {
		time.Sleep(max(long/200, 250*time.Millisecond))
		w.supervise()
		if past := time.Since(begun); past > long/3 {
			samples = append(samples, w.look(m, past.Seconds()))
		}
	}
	written = w.load.Written() - written
	stop()
	loading.Wait()
	w.settle()
	m.stop(t)
	v := Judge(Evidence{In: w.client.Read(t, "events"), Out: w.outputs.Read(t, "places"), Letters: w.outputs.Read(t, "dead"), ID: Column})
	soak := results.Soak{Broker: w.name(), Begun: begun, Seconds: long.Seconds(), Rate: float64(written) / long.Seconds(), Inputs: v.Inputs, Lost: v.Lost,
		Duplicates: v.Duplicates, Versions: v.Versions, Complaints: v.Complaints}
	soak.Memory = line(samples, func(s sample) float64 { return s.memory / (1 << 20) })
	soak.Goroutines = line(samples, func(s sample) float64 { return s.goroutines })
	soak.Files = line(samples, func(s sample) float64 { return s.files })
	t.Logf("%v at %.0f messages/s, %v: memory %v MiB, goroutines %v, files %v (mean, and growth over the time watched)",
		long, soak.Rate, v, soak.Memory, soak.Goroutines, soak.Files)
	for _, c := range []struct {
		broken bool
		what   string
	}{
		{v.Duplicates > 0, "there are duplicates though nothing broke"},
		{soak.Memory.Growth > max(8, soak.Memory.Mean/10), "memory grows"},
		{soak.Goroutines.Growth > 3, "goroutines grow"},
		{soak.Files.Growth > 2, "open files grow"},
	} {
		if c.broken {
			soak.Complaints = append(soak.Complaints, c.what)
		}
	}
	for _, complaint := range soak.Complaints {
		t.Error(complaint)
	}
	keep(t, "soak", soak.Broker, soak)
}

// look measures the current resource use of the stage. Memory is the memory that Go's runtime has
// obtained from the system plus the resident pages of files. The resident set is unsuitable,
// because it grows for minutes without a leak: each collection touches other pages of the same
// heap.
func (w *world) look(m *member, seconds float64) sample {
	w.t.Helper()
	s := sample{seconds: seconds}
	proc := fmt.Sprintf("/proc/%d", m.cmd.Process.Pid)
	taken, err := figure(w.set.address, "go_memstats_sys_bytes")
	if err != nil {
		w.t.Fatal(err)
	}
	status, err := os.ReadFile(proc + "/status")
	if err != nil {
		w.t.Fatal(err)
	}
	var kilobytes float64
	_, rest, _ := strings.Cut(string(status), "RssFile:")
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
		w.t.Fatal(err)
	}
	s.memory = taken + kilobytes*1024
	files, err := os.ReadDir(proc + "/fd")
	if err != nil {
		w.t.Fatal(err)
	}
	s.files = float64(len(files))
	if s.goroutines, err = figure(w.set.address, "go_goroutines"); err != nil {
		w.t.Fatal(err)
	}
	return s
}

// figure queries a stage for one of its metrics.
func figure(address, name string) (v float64, err error) {
	conn, err := net.DialTimeout("tcp", address, soon)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(soon)); err != nil {
		return 0, err
	}
	if _, err := fmt.Fprintf(conn, "GET /metrics HTTP/1.0\r\nHost: %s\r\n\r\n", address); err != nil {
		return 0, err
	}
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		if rest, found := strings.CutPrefix(lines.Text(), name+" "); found {
			_, err := fmt.Sscan(rest, &v)
			return v, err
		}
	}
	return 0, fmt.Errorf("%s has no figure %s", address, name)
}

// line fits a line by least squares. Its growth is measured from the first sample to the last.
func line(samples []sample, of func(sample) float64) results.Trend {
	n, at, mean := float64(len(samples)), 0.0, 0.0
	for _, s := range samples {
		at += s.seconds / n
		mean += of(s) / n
	}
	over, with := 0.0, 0.0
	for _, s := range samples {
		over += (s.seconds - at) * (s.seconds - at)
		with += (s.seconds - at) * (of(s) - mean)
	}
	return results.Trend{Mean: mean, Growth: with / over * (samples[len(samples)-1].seconds - samples[0].seconds)}
}

func TestLine(t *testing.T) {
	var samples []sample
	for i := range 10 {
		samples = append(samples, sample{seconds: float64(i) / 2, memory: 3 + float64(i)})
	}
	if got := line(samples, func(s sample) float64 { return s.memory }); got.String() != "7.5+9.0" {
		t.Errorf("a line from 3 to 12 has mean and growth %v", got)
	}
}
