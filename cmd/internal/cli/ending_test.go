//go:build linux

package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"unfold/cmd/internal/serve"
	"unfold/internal/outputlog"
	"unfold/internal/testkit/tier"
)

// asProgram is the environment variable that makes this test binary run as the program.
const asProgram = "UNFOLD_TEST_AS_PROGRAM"

// runAsProgram does the work of main.
func runAsProgram() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	var stderr io.Writer = os.Stderr
	if at, is := os.LookupEnv(cancelAt); is {
		to, cancel := context.WithCancel(ctx)
		ctx, stderr = to, &canceller{os.Stderr, at, cancel}
	}
	return Run(ctx, System{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: stderr, Environ: os.Environ()})
}

// cancelAt is the environment variable with the text that interrupts the program when it is written
// to standard error.
const cancelAt = "UNFOLD_TEST_CANCEL_AT"

type canceller struct {
	io.Writer
	at     string
	cancel func()
}

func (c *canceller) Write(b []byte) (int, error) {
	if strings.Contains(string(b), c.at) {
		c.cancel()
	}
	return c.Writer.Write(b)
}

// busy is a command that is interrupted while it works.
type busy struct {
	// verb is the command, name describes its work.
	verb, name string
	// args follow the command. PIPE is replaced by a named pipe with data, BROKER by an address
	// that accepts connections and never answers.
	args string
	// feed starts the endless data of the pipe, which are rows of text. With "" the pipe stays open
	// and empty.
	feed string
	// stdin is the start of standard input, which then stays open.
	stdin string
	// The command is busy once it has written says or used cpu of CPU time. If both are empty, it
	// is busy once it has opened the pipe.
	says string
	cpu  time.Duration
	// code is the expected exit code. Code 1 needs an error message.
	code int
	// full restricts the case to the full tier.
	full bool
}

const csvRow = "1.5,2.5,3.5,a name\n"

// reading are the commands that read, each with a pipe as its input.
var reading = []string{
	"fit PIPE --columns x,y,z -o new.unfold --map new.csv",
	"embed PIPE -m m.unfold -o new.parquet",
	"update m.unfold PIPE -o new.unfold",
	"score PIPE",
	"plot PIPE -o new.png",
	"clusters PIPE --columns x,y,z -o new.csv",
	"explain m.unfold PIPE",
	"decode PIPE -m pca.unfold -o new.csv",
	"inspect PIPE",
	"view PIPE --listen 127.0.0.1:0",
	"export PIPE -o new.html",
	"demo PIPE --columns x,y,z --out new",
	"check-input PIPE",
}

// busyCommands returns all cases.
func busyCommands() (all []busy) {
	for _, line := range reading {
		verb, args, _ := strings.Cut(line, " ")
		header := "x,y,z,name\n"
		if slices.Contains([]string{"score", "plot", "view", "export", "decode"}, verb) {
			header = "embedding_0,embedding_1,z,name\n"
		}
		all = append(all,
			busy{verb: verb, name: "waiting for a pipe", args: args, code: exitFailed})
		if verb != "check-input" { // it reads only the first bytes
			all = append(all, busy{verb: verb, name: "reading without an end", args: args, feed: header, code: exitFailed, full: true})
		}
	}
	for _, line := range []string{"inspect PIPE --untrusted 1GiB", "export PIPE -o new.html --memory 1GiB"} {
		verb, args, _ := strings.Cut(line, " ")
		all = append(all, busy{verb: verb, name: "in a process of its own", args: args, code: exitFailed})
	}
	frame := func(text string) string {
		var b bytes.Buffer
		if err := serve.WriteFrame(&b, []byte(text)); err != nil {
			panic(err)
		}
		return b.String()
	}
	const (
		second = time.Second
		row    = `{"x": 1, "y": 2, "z": 3}`
	)
	return append(all, []busy{
		{verb: "fit", name: "learning", args: "many.csv --columns x* --steps 100000 -o new.unfold --map new.csv", cpu: 4 * second, code: exitFailed, full: true},
		{verb: "fit", name: "learning all components", args: "wide.csv --columns x* --kind pca --dims 40 -o new.unfold", cpu: second, code: exitFailed, full: true},
		{verb: "clusters", name: "finding clusters", args: "many.csv --columns x* -o new.csv", cpu: 2 * second, code: exitFailed, full: true},
		{verb: "score", name: "comparing", args: "places.csv --data many.csv --columns x*", cpu: 2 * second, code: exitFailed, full: true},
		{verb: "embed", name: "writing to nobody", args: "endless -m m.unfold -o -", feed: "x,y,z,name\n", code: exitFailed, full: true},
		{verb: "embed", name: "waiting for lines", args: "--lines -m m.unfold", stdin: row + "\n", says: "sigma"},
		{verb: "session", name: "waiting for requests", stdin: frame(`{"args": ["version"]}`), says: "unfold "},
		{verb: "session", name: "running a command", stdin: frame(`{"args": ["inspect", "pipe.csv"]}`)},
		{verb: "serve", name: "serving", args: "m.unfold --listen 127.0.0.1:0 --probe 127.0.0.1:0", says: "answering probes on"},
		{verb: "serve", name: "waiting for frames", args: "m.unfold --stdio", stdin: frame(row), says: "sigma"},
		{verb: "view", name: "serving", args: "m.unfold --listen 127.0.0.1:0 --probe 127.0.0.1:0", says: "answering probes on"},
		{verb: "run", name: "waiting for a broker", args: "-c stage.yaml --source-kafka-brokers BROKER", says: "BROKER"},
		{verb: "lint", name: "waiting for a broker", args: "-c stage.yaml --source-kafka-brokers BROKER", says: "BROKER", code: exitFailed},
		{verb: "dlq", name: "list", args: "list -c stage.yaml --dead-letter-topic dead --source-kafka-brokers BROKER", says: "BROKER", code: exitFailed},
		{verb: "dlq", name: "replay", args: "replay -c stage.yaml --dead-letter-topic dead --source-kafka-brokers BROKER", says: "BROKER", code: exitFailed},
		{verb: "run", name: "waiting for its configuration", args: "-c PIPE"},
		{verb: "run", name: "waiting for a certificate", args: "-c stage.yaml --source-kafka-brokers BROKER --source-kafka-tls-ca PIPE"},
		{verb: "run", name: "waiting for a key", args: "-c stage.yaml --source-kafka-brokers BROKER --source-kafka-tls-cert PIPE --source-kafka-tls-key PIPE"},
		{verb: "run", name: "waiting for a schema", args: "-c stage.yaml --source-kafka-brokers BROKER --source-format avro --sink-format json --source-schema PIPE"},
		{verb: "serve", name: "waiting for a token", args: "m.unfold --listen 127.0.0.1:0 --token-file PIPE", code: exitFailed},
		{verb: "view", name: "waiting for a token", args: "m.unfold --listen 127.0.0.1:0 --token-file PIPE", code: exitFailed},
		{verb: "lint", name: "waiting for a configuration", args: "-c PIPE", code: exitFailed},
		{verb: "dlq", name: "waiting for a configuration", args: "list -c PIPE", code: exitFailed},
		{verb: "lint", name: "waiting for a sample", args: "-c stage.yaml --sample PIPE", code: exitFailed},
		{verb: "demo", name: "playing", args: "--rate 100 --out new", says: `broker`, code: exitFailed, full: true},
	}...)
}

// endsByItself are commands that read nothing and wait for nothing.
var endsByItself = []string{"version", "completion", "settings", completeVerb}

// TestEveryVerbEnds interrupts every command while it works. It ends within 2 s, with one sentence
// and no partial output. In the quick tier it may take longer, because the machine may be busy.
func TestEveryVerbEnds(t *testing.T) {
	all := busyCommands()
	for _, c := range commands {
		if !slices.ContainsFunc(all, func(b busy) bool { return b.verb == c.name }) && !slices.Contains(endsByItself, c.name) {
			t.Errorf("%s has no line in this test: say what keeps it busy, or that it ends by itself", c.name)
		}
	}
	t.Chdir(workspace(t))
	must(t, "-q", "fit", "small.csv", "--columns", "x,y,z", "--steps", "5", "-o", "m.unfold")
	must(t, "-q", "fit", "small.csv", "--columns", "x,y,z", "--kind", "pca", "-o", "pca.unfold")
	files := map[string]string{}
	for _, name := range []string{"m.unfold", "pca.unfold", "stage.yaml"} {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(content)
	}
	if tier.All() {
		files["many.csv"], files["wide.csv"], files["places.csv"] = randomCSV("x", 80_000, 30), randomCSV("x", 4000, 1500), randomCSV("embedding_", 80_000, 2)
	}
	for _, b := range all {
		t.Run(b.verb+" "+b.name, func(t *testing.T) {
			if b.full {
				tier.Full(t, "it keeps every verb busy")
			}
			t.Parallel()
			b.end(t, files)
		})
	}
}

// randomCSV returns a table of random rows with columns x0, x1, ..., and a name.
func randomCSV(column string, rows, columns int) string {
	r := rand.New(rand.NewPCG(1, uint64(rows)))
	var b bytes.Buffer
	for k := range columns {
		fmt.Fprintf(&b, "%s%d,", column, k)
	}
	b.WriteString("name\n")
	for i := range rows {
		for range columns {
			fmt.Fprintf(&b, "%.4f,", r.NormFloat64())
		}
		fmt.Fprintf(&b, "n%d\n", i)
	}
	return b.String()
}

// end runs the command until it is busy, interrupts it, and checks the files that it leaves.
func (b busy) end(t *testing.T, files map[string]string) {
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	temporary := t.TempDir()
	silent := silentServer(t)
	args := strings.ReplaceAll(strings.ReplaceAll(b.args, "PIPE", "pipe.csv"), "BROKER", silent.Addr().String())
	pipe := filepath.Join(dir, "pipe.csv")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	before := names(t, dir)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	words := append([]string{"-q", b.verb}, strings.Fields(strings.ReplaceAll(args, "endless", "pipe.csv"))...)
	c := exec.Command(self, words...)
	c.Dir = dir
	// Variables of the tests are no settings; a stage would write a note on them.
	c.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "UNFOLD_") }), asProgram+"=1", "TMPDIR="+temporary)
	var said, out outputlog.Journal
	c.Stderr, c.Stdout = &said, &out
	if strings.Contains(b.name, "nobody") {
		r, w, err := os.Pipe() // a pipe without a reader
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		defer w.Close()
		c.Stdout = w
	}
	stdin, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	defer c.Process.Kill()
	if b.stdin != "" {
		if _, err := io.WriteString(stdin, b.stdin); err != nil {
			t.Fatal(err)
		}
	}
	b.await(t, c.Process.Pid, pipe, silent, &said, &out, ended)
	asked := time.Now()
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	most := 2 * time.Second
	if !tier.All() {
		most = 20 * time.Second
	}
	select {
	case <-ended:
		t.Logf("it ended %v after the signal", time.Since(asked).Round(time.Millisecond))
		if took := time.Since(asked); took > most {
			t.Errorf("it ended %v after the signal", took)
		}
	case <-time.After(time.Minute):
		t.Fatalf("it does not end:\n%s", &said)
	}
	if code := c.ProcessState.ExitCode(); code != b.code {
		t.Errorf("exit code %d, want %d:\n%s", code, b.code, &said)
	}
	if text := said.String(); b.code == exitFailed && text != "unfold: interrupted; nothing was left half-written\n" {
		t.Errorf("it says %q", text)
	}
	if after := names(t, dir); b.verb != "demo" && after != before {
		t.Errorf("the folder held\n%s, and holds\n%s", before, after)
	}
	if left := names(t, temporary); left != "" {
		t.Errorf("temporary files are left:\n%s", left)
	}
}

// await returns when the command is busy.
func (b busy) await(t *testing.T, pid int, pipe string, silent *silence, said, out *outputlog.Journal, ended chan error) {
	t.Helper()
	is := func() bool {
		switch {
		case b.says == "BROKER":
			return silent.met.Load()
		case b.says != "":
			return strings.Contains(said.String()+out.String(), b.says)
		}
		return used(t, pid) >= b.cpu
	}
	if b.says == "" && b.cpu == 0 {
		fed := make(chan *os.File, 1)
		go func() {
			w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // blocks until the pipe has a reader
			if err != nil {
				t.Error(err)
			}
			fed <- w
		}()
		var w *os.File
		select {
		case w = <-fed:
		case err := <-ended:
			meetReader(pipe)
			t.Fatalf("it ended by itself (%v):\n%s", err, said)
		case <-time.After(time.Minute):
			meetReader(pipe)
			t.Fatalf("it does not open the pipe:\n%s", said)
		}
		t.Cleanup(func() { w.Close() })
		if b.feed == "" {
			return
		}
		var written atomic.Int64
		go func() {
			text := b.feed + strings.Repeat(csvRow, 1000)
			for {
				n, err := io.WriteString(w, text)
				if written.Add(int64(n)); err != nil {
					return
				}
				text = strings.Repeat(csvRow, 1000)
			}
		}()
		// The command has read past the rows for type detection, or no longer reads.
		last := int64(-1)
		is = func() bool {
			now := written.Load()
			stuck := now == last && now > 0
			last = now
			return now > 3<<20 || stuck
		}
	}
	every := time.NewTicker(20 * time.Millisecond)
	if b.feed != "" {
		every.Reset(2 * time.Second)
	}
	defer every.Stop()
	for end := time.Now().Add(3 * time.Minute); !is(); {
		select {
		case err := <-ended:
			t.Fatalf("it ended by itself (%v):\n%s", err, said)
		case at := <-every.C:
			if at.After(end) {
				t.Fatalf("it never was busy:\n%s", said)
			}
		}
	}
}

// meetReader unblocks a writer that waits for a reader of the pipe.
func meetReader(pipe string) {
	if r, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
		r.Close()
	}
}

// used returns the CPU time of a process.
func used(t *testing.T, pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0 // the process has ended; the caller detects that
	}
	_, fields, _ := strings.Cut(string(text), ") ")
	var ticks int64
	for _, f := range strings.Fields(fields)[11:13] {
		var n int64
		if _, err := fmt.Sscan(f, &n); err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// silence accepts connections and never answers.
type silence struct {
	net.Listener
	met atomic.Bool
}

func silentServer(t *testing.T) *silence {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	s := &silence{Listener: l}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.met.Store(true)
			t.Cleanup(func() { c.Close() })
		}
	}()
	return s
}
