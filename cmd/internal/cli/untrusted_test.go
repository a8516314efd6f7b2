//go:build linux

package cli

import (
	"os"
	"strings"
	"testing"
)

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
