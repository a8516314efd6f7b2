//go:build linux

package cli

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// shortTime is the environment variable with the bound of the time that a reader of an untrusted
// file may decode, in the process of the command itself.
const shortTime = "UNFOLD_TEST_UNTRUSTED_TIME"

// TestMain runs as the program if a test starts this binary as a process. With a file of hogs it
// simulates a decoder that exhausts the memory.
func TestMain(m *testing.M) {
	if _, is := os.LookupEnv(asProgram); is {
		os.Exit(runAsProgram())
	}
	if name, is := os.LookupEnv(writeBomb); is {
		os.Exit(writeOne(name))
	}
	_, inside := os.LookupEnv(limitVariable)
	if text, is := os.LookupEnv(shortTime); is && inside {
		untrustedTime, _ = time.ParseDuration(text)
	}
	for _, arg := range os.Args[1:] {
		if inside || arg == "check-input" || arg == completeVerb {
			if os.Args[len(os.Args)-1] != completeVerb && strings.HasPrefix(os.Args[len(os.Args)-1], "hog") {
				hog()
			}
			os.Exit(runAsProgram())
		}
	}
	os.Exit(m.Run())
}

// hog allocates memory until the limit ends the process.
func hog() {
	if err := limitMemory(64 << 20); err != nil {
		os.Exit(exitFailed)
	}
	var held [][]byte
	each, times := 1<<20, 1<<10
	if strings.HasPrefix(os.Args[len(os.Args)-1], "hog-at-once") {
		each, times = 1<<30, 1
	}
	for range times {
		b := make([]byte, each)
		for i := range b {
			b[i] = 1
		}
		held = append(held, b)
	}
	os.Exit(len(held) & 1) // not reached unless the limit fails
}

// With --untrusted another process decodes files first. Valid files pass, and invalid ones are
// reported as usual. A file that crashes its decoder crashes nothing else.
func TestUntrusted(t *testing.T) {
	t.Chdir(workspace(t))
	data := "rows.parquet"
	must(t, "fit", "small.csv", "--columns", "x,y,z", "--steps", "5", "-o", "d.unfold", "--map", data)
	plain := must(t, "inspect", data)
	if out := must(t, "inspect", data, "--untrusted", "1GiB"); out != plain {
		t.Errorf("with --untrusted inspect says\n%s", out)
	}
	whole, err := os.ReadFile(data)
	if err != nil {
		t.Fatal(err)
	}
	write(t, "hog.parquet", string(whole))
	write(t, "hog-at-once.parquet", string(whole))
	write(t, "-half.parquet", string(whole[:len(whole)/2]))
	for name, c := range map[string]struct {
		args []string
		want []string
	}{
		"damaged":          {[]string{"inspect", "--untrusted", "1GiB", "--", "-half.parquet"}, []string{"-half.parquet: "}},
		"too much memory":  {[]string{"inspect", "hog.parquet", "--untrusted", "1GiB"}, []string{"hog.parquet", "its decoder dies of it", "1.0 GiB"}},
		"in one piece":     {[]string{"inspect", "hog-at-once.parquet", "--untrusted", "1GiB"}, []string{"its decoder dies of it"}},
		"a map as well":    {[]string{"plot", "hog.parquet", "-o", "x.png", "--untrusted", "1GiB"}, []string{"its decoder dies of it"}},
		"and what is fit":  {[]string{"fit", "hog.parquet", "-o", "x.unfold", "--vector", "embedding", "--untrusted", "1GiB"}, []string{"its decoder dies of it"}},
		"and what is put":  {[]string{"embed", "hog.parquet", "-m", "d.unfold", "-o", "x.parquet", "--untrusted", "1GiB"}, []string{"its decoder dies of it"}},
		"all of a command": {[]string{"export", "-o", "x.html", "--memory", "64MiB", "hog.parquet"}, []string{"unfold: the command needs more than 64.0 MiB"}},
		"one that is gone": {[]string{"inspect", "gone.parquet", "--untrusted", "1GiB"}, []string{"gone.parquet", "does not exist"}},
	} {
		code, _, stderr := run(t, c.args...)
		if want := map[bool]int{true: exitFailed, false: exitBadInput}[name == "all of a command"]; code != want || strings.Contains(stderr, "goroutine") {
			t.Errorf("%s: exit %d, %s", name, code, stderr)
		}
		for _, want := range c.want {
			if !strings.Contains(stderr, want) {
				t.Errorf("%s: the error lacks %q: %s", name, want, stderr)
			}
		}
	}
}

// The command itself decodes a file again, after another process did. That has a bound of time, too,
// for the files of every flag.
func TestUntrustedFilesAreBoundedInTime(t *testing.T) {
	t.Chdir(workspace(t))
	must(t, "fit", "small.csv", "--columns", "x,y,z", "--steps", "5", "-o", "d.unfold", "--map", "rows.parquet")
	must(t, "embed", "small.csv", "-m", "d.unfold", "-o", "rows.csv")
	must(t, "embed", "small.csv", "-m", "d.unfold", "-o", "rows.arrow")
	write(t, "labels.csv", "label\n"+strings.Repeat("a\nb\n", 200))
	lines := [][]string{
		{"inspect", "rows.parquet"}, {"inspect", "rows.arrow"}, {"inspect", "rows.csv"}, {"plot", "rows.parquet", "-o", "x.png"},
		{"embed", "rows.parquet", "-m", "d.unfold", "-o", "x.parquet"}, {"fit", "rows.parquet", "--vector", "embedding", "-o", "x.unfold"},
	}
	for _, args := range lines {
		t.Setenv(shortTime, "1ns")
		code, _, stderr := run(t, append([]string{"-q", "--untrusted", "1GiB"}, args...)...)
		if code != exitBadInput || !strings.Contains(stderr, args[1]+": decoding it takes longer than") {
			t.Errorf("%v: exit %d, %s", args, code, stderr)
		}
		if _, err := os.Stat(args[len(args)-1]); len(args) > 2 && err == nil {
			t.Errorf("%v: it left %s", args, args[len(args)-1])
		}
	}
	t.Setenv(shortTime, "1m")
	for _, args := range lines {
		if code, _, stderr := run(t, append([]string{"-q", "--untrusted", "1GiB"}, args...)...); code != exitDone && args[0] != "embed" {
			t.Errorf("%v with a minute: exit %d, %s", args, code, stderr)
		}
	}
}

// A decoder that never returns ends the context. Time between calls does not count, nor does that of
// a pipe's writer.
func TestWatchReaders(t *testing.T) {
	ctx, watch := watchReaders(t.Context(), 50*time.Millisecond)
	before := watch("rows.parquet")
	for range 3 {
		before()()
		time.Sleep(40 * time.Millisecond)
	}
	watch("-")()
	if err := endedBySlowDecode(ctx, nil); err != nil || ctx.Err() != nil {
		t.Fatalf("short calls end it: %v, %v", err, ctx.Err())
	}
	one, other := before(), before()
	one()
	<-ctx.Done()
	other()
	if err := endedBySlowDecode(ctx, ctx.Err()); err == nil || exitCode(err) != exitBadInput || !strings.Contains(err.Error(), "rows.parquet: decoding it takes longer than") {
		t.Errorf("it ends with %v", err)
	}
}

// Files of labels are decoded by another process first, as those of data are.
func TestUntrustedLabels(t *testing.T) {
	t.Chdir(workspace(t))
	must(t, "fit", "small.csv", "--columns", "x,y,z", "--steps", "5", "-o", "d.unfold", "--map", "hog-labels.parquet")
	must(t, "embed", "small.csv", "-m", "d.unfold", "-o", "rows.csv")
	for _, line := range []string{
		"score rows.csv", "plot rows.csv -o x.png", "embed small.csv -m d.unfold -o x.csv", "fit small.csv --columns x,y -o x.unfold", "clusters small.csv --columns x,y",
	} {
		// The file of the labels is not the last word, which would make the command itself exhaust its
		// memory.
		args := slices.Insert(words(line), 1, "-q", "--untrusted", "1GiB", "--label-file", "hog-labels.parquet")
		if code, _, stderr := run(t, args...); code != exitBadInput || !strings.Contains(stderr, "hog-labels.parquet: its decoder dies of it") {
			t.Errorf("%s: exit %d, %s", line, code, stderr)
		}
	}
}
