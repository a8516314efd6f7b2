package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"unfold/cmd/internal/serve"
)

// asked is a session driven by a test.
type asked struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	code chan int
}

func ask(t *testing.T) *asked {
	t.Helper()
	in, send := io.Pipe()
	receive, out := io.Pipe()
	a := &asked{t, send, bufio.NewReader(receive), make(chan int, 1)}
	go func() {
		code := Run(context.Background(), System{Args: []string{"session"}, Stdin: in, Stdout: out, Stderr: io.Discard})
		out.Close()
		a.code <- code
	}()
	t.Cleanup(func() { send.Close() })
	return a
}

// send sends a request unchanged.
func (a *asked) send(body string) {
	a.t.Helper()
	if err := serve.WriteFrame(a.in, []byte(body)); err != nil {
		a.t.Fatal(err)
	}
}

func (a *asked) next() sessionAnswer {
	a.t.Helper()
	body, err := serve.ReadFrame(a.out, 1<<24)
	if err != nil {
		a.t.Fatal(err)
	}
	var answer sessionAnswer
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&answer); err != nil {
		a.t.Fatalf("%v: %s", err, body)
	}
	return answer
}

// run runs a command to its end. It also returns the answers before the end.
func (a *asked) run(args ...string) (end *sessionEnd, before []sessionAnswer) {
	a.t.Helper()
	body, err := json.Marshal(sessionRequest{Args: args, Progress: true})
	if err != nil {
		a.t.Fatal(err)
	}
	a.send(string(body))
	for {
		next := a.next()
		if next.End != nil {
			return next.End, before
		}
		before = append(before, next)
	}
}

// TestSessionIsTheCommandLine tests that commands of a session write the same bytes as the command
// line, also with a cached map.
func TestSessionIsTheCommandLine(t *testing.T) {
	t.Chdir(workspace(t))
	a := ask(t)
	steps := []string{
		"fit small.csv -o %m.unfold --map %map.csv --numbers --columns x,y,z --id name",
		"embed small.csv -m %m.unfold -o %places.csv",
		"update %m.unfold more.csv -o %m.unfold --map %more-map.csv --points %points.csv",
		"update %m.unfold --forget gone.csv -o %m.unfold",
		"update %m.unfold more.csv -o %n.unfold",
		"explain %n.unfold more.csv --json",
		"clusters %map.csv -o %clusters.csv --min-size 5",
	}
	write(t, "more.csv", "name,x,y,z\nnew,0.5,0.25,0.125\nnewer,-1,2,0.5\n")
	write(t, "gone.csv", "name\nnew\n")
	for _, step := range steps {
		want := must(t, append([]string{"-q"}, words(strings.ReplaceAll(step, "%", "a-"))...)...)
		end, _ := a.run(words(strings.ReplaceAll(step, "%", "b-"))...)
		if end.Code != 0 || steady(end.Output) != steady(strings.ReplaceAll(want, "a-", "b-")) {
			t.Fatalf("%s: %+v, the command line says %s", step, end, want)
		}
	}
	files, err := filepath.Glob("a-*")
	if err != nil || len(files) != 7 {
		t.Fatalf("files %v: %v", files, err)
	}
	for _, file := range files {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile("b-" + file[2:]); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs in a session (%d bytes, %d): %v", file, len(want), len(got), err)
		}
	}
}

// TestSessionSaysMore tests progress, notes and errors, and that a session continues after them.
func TestSessionSaysMore(t *testing.T) {
	t.Chdir(workspace(t))
	a := ask(t)
	end, before := a.run("fit", "small.csv", "-o", "m.unfold", "--columns", "x,y,z")
	stages := map[string]bool{}
	for _, s := range before {
		if s.Progress != nil {
			stages[s.Progress.Stage] = true
		}
	}
	if end.Code != exitDone || !stages["read"] || !stages["em"] {
		t.Errorf("exit %d after %v", end.Code, stages)
	}
	for _, row := range []struct {
		name, args, want string
		code             int
	}{
		{"a file that is not there", "fit nowhere.csv -o m.unfold", "nowhere.csv", exitBadInput},
		{"a bad value", "fit nan.csv -o n.unfold --columns a,b", "row 2", exitBadInput},
		{"a wrong flag", "fit small.csv --thickness 3", "unknown flag --thickness", exitUsage},
		{"a command that does not end", "serve m.unfold", "a session runs fit,", exitUsage},
	} {
		t.Run(row.name, func(t *testing.T) {
			end, _ := a.run(words(row.args)...)
			if end.Code != row.code || !strings.Contains(end.Error, row.want) || strings.HasPrefix(end.Error, errorPrefix) {
				t.Errorf("exit %d: %s", end.Code, end.Error)
			}
		})
	}
	for _, bad := range []string{"", "[]", `{"arguments": []}`, `{"args": []}`, "{"} {
		a.send(bad)
		if end := a.next().End; end == nil || end.Code != exitUsage || end.Error == "" {
			t.Errorf("%q is answered with %+v", bad, end)
		}
	}
	if end, _ := a.run("version"); end.Code != exitDone || !strings.HasPrefix(end.Output, "unfold ") {
		t.Errorf("it does not go on: %+v", end)
	}
	a.in.Close()
	if code := <-a.code; code != exitDone {
		t.Errorf("it ends with code %d", code)
	}
}

// TestSessionMarksChoices tests that notes on what a fit chose unasked are marked, and no others.
func TestSessionMarksChoices(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "id,a,b,color\n"
	for i := range 60 {
		b := fmt.Sprintf("%g", 100*math.Cos(float64(i)))
		if i == 7 {
			b = ""
		}
		text += fmt.Sprintf("%d,%g,%s,%s\n", i, math.Sin(float64(i)), b, []string{"red", "green"}[i%2])
	}
	write(t, "holes.csv", text)
	a := ask(t)
	for _, row := range []struct {
		args string
		want []string
	}{
		{"fit holes.csv -o m.unfold --steps 5", []string{`column "color" is taken as the label`, "missing values are filled"}},
		{"fit holes.csv -o m.unfold --steps 5 --missing mean", []string{`column "color" is taken as the label`}},
		{"fit holes.csv -o m.unfold --steps 5 --columns a,b --missing mean", nil},
	} {
		end, before := a.run(words(row.args)...)
		var chosen []string
		for _, s := range before {
			if s.Chosen {
				chosen = append(chosen, s.Note)
			}
		}
		same := slices.EqualFunc(chosen, row.want, strings.HasPrefix)
		if end.Code != exitDone || !same {
			t.Errorf("%s: exit %d, chosen notes %q, want %q", row.args, end.Code, chosen, row.want)
		}
	}
}

// TestSessionIsCancelled tests that a command ends when it is cancelled or its client leaves, and
// that it leaves no file.
func TestSessionIsCancelled(t *testing.T) {
	t.Chdir(t.TempDir())
	sheet(t, "large.csv", 30_000, false)
	const args = `{"args": ["fit", "large.csv", "-o", "m.unfold", "--columns", "*", "--steps", "100000"], "progress": true}`
	for _, row := range []struct {
		name   string
		end    func(a *asked)
		answer bool
	}{
		{"by a request", func(a *asked) { a.send(`{"cancel": true}`) }, true},
		{"by the end of requests", func(a *asked) { a.in.Close() }, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			a := ask(t)
			a.send(args)
			for a.next().Progress == nil {
			}
			row.end(a)
			begin := time.Now()
			var end *sessionEnd
			for end == nil {
				end = a.next().End
			}
			if end.Code != exitFailed || !strings.HasPrefix(end.Error, "interrupted") || time.Since(begin) > time.Minute {
				t.Errorf("%+v after %v", end, time.Since(begin))
			}
			if _, err := os.Stat("m.unfold"); err == nil {
				t.Error("a model was left")
			}
			if row.answer {
				if end, _ := a.run("version"); end.Code != exitDone {
					t.Errorf("it does not go on: %+v", end)
				}
				a.in.Close()
			}
			if code := <-a.code; code != exitDone {
				t.Errorf("it ends with code %d", code)
			}
		})
	}
}
