package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// processor behaves like Redpanda Connect's subprocess processor with its codec lines. It writes
// each line of a message and waits for the reply: the new line on standard output, or an error on
// standard error.
type processor struct {
	in          io.WriteCloser
	out, failed chan string
	code        chan int
}

// subprocess is the processor's configuration.
type subprocess struct {
	Name      string
	Args      []string
	MaxBuffer int `yaml:"max_buffer"`
}

func newProcessor(t *testing.T, c subprocess) *processor {
	t.Helper()
	if c.Name != "unfold" {
		t.Fatalf("the recipe runs %q", c.Name)
	}
	in, send := io.Pipe()
	stdout, out := io.Pipe()
	stderr, failed := io.Pipe()
	p := &processor{send, make(chan string), make(chan string), make(chan int, 1)}
	scan := func(r io.Reader, to chan<- string) {
		s := bufio.NewScanner(r)
		s.Buffer(nil, c.MaxBuffer)
		for s.Scan() {
			to <- s.Text()
		}
		close(to)
	}
	go scan(stdout, p.out)
	go scan(stderr, p.failed)
	go func() {
		code := Run(t.Context(), System{Args: c.Args, Stdin: in, Stdout: out, Stderr: failed})
		out.Close()
		failed.Close()
		p.code <- code
	}()
	return p
}

// process returns the processed message.
func (p *processor) process(message string) (string, error) {
	var results []string
	for _, line := range strings.Split(message, "\n") {
		if _, err := io.WriteString(p.in, line+"\n"); err != nil {
			return "", err
		}
		select {
		case answer, open := <-p.out:
			if !open {
				return "", errors.New("the process has ended")
			}
			results = append(results, answer)
		case text := <-p.failed:
			return "", fmt.Errorf("on standard error: %s", text)
		}
	}
	return strings.Join(results, "\n"), nil
}

// The recipe's commands and processor work as the page describes.
func TestRedpandaConnect(t *testing.T) {
	text := page(t, filepath.Join(repository, "docs", "recipes", "redpanda-connect.md"))
	t.Chdir(t.TempDir())
	var events bytes.Buffer
	rng := rand.New(rand.NewPCG(1, 1))
	event := func(i int) string {
		return fmt.Sprintf(`{"event_id": %d, "kind": "k%d", "embedding": [%.3f, %.3f, %.3f], "more": {"a": 1}}`, i, i%2, rng.NormFloat64(), rng.NormFloat64()+float64(5*(i%2)), rng.NormFloat64())
	}
	for i := range 60 {
		fmt.Fprintln(&events, event(i))
	}
	write(t, "events.jsonl", events.String())
	lines := commandLines(text)
	if len(lines) != 1 {
		t.Fatalf("the recipe has the commands %q", lines)
	}
	must(t, append([]string{"-q"}, words(lines[0])...)...)
	var recipe struct {
		Pipeline struct {
			Processors []struct{ Subprocess *subprocess }
		}
	}
	_, block, _ := strings.Cut(text, "```yaml\n")
	block, _, _ = strings.Cut(block, "```")
	if err := yaml.Unmarshal([]byte(block), &recipe); err != nil || len(recipe.Pipeline.Processors) != 2 || recipe.Pipeline.Processors[0].Subprocess == nil {
		t.Fatalf("%v: %+v", err, recipe)
	}
	p := newProcessor(t, *recipe.Pipeline.Processors[0].Subprocess)
	for message, want := range map[string]string{
		event(7):                   `^\{"id":7,"kind":"k1","x":[-\d.]+,"y":[-\d.]+,"sigma":[\d.]+,"novelty_local":[\d.]+,"novelty_global":[\d.]+,.*\}$`,
		event(8) + "\n" + event(9): `^\{"id":8,.*\}\n\{"id":9,.*\}$`,
		`{"event_id": 1}`:          `^\{"error":"row 1, column \\"embedding\\": .*","status":422,.*\}$`,
		"":                         `^\{"error":.*\}$`,
		"{\n}":                     `^\{"error":.*\}\n\{"error":.*\}$`,
	} {
		if got, err := p.process(message); err != nil || !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%q becomes %q, %v, want %s", message, got, err, want)
		}
	}
	p.in.Close()
	for line := range p.out {
		t.Errorf("nobody asked for %q", line)
	}
	for line := range p.failed {
		t.Errorf("on standard error: %q", line)
	}
	if code := <-p.code; code != 0 {
		t.Errorf("exit %d", code)
	}
	// A missing model ends the process with an error.
	p = newProcessor(t, subprocess{"unfold", []string{"embed", "--lines", "--model", "none.unfold"}, 1000})
	if text := <-p.failed; !strings.Contains(text, "none.unfold") {
		t.Errorf("it says %q", text)
	}
	if code := <-p.code; code != exitBadInput {
		t.Errorf("exit %d", code)
	}
}
