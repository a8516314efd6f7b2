package cli

import (
	"archive/zip"
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"unfold/internal/testkit/transcript"
	"unfold/models/fit"
)

var update = flag.Bool("update", false, "write the transcripts again")

// repository is the module's root relative to this package.
const repository = "../../.."

// A transcript has commands ("$ unfold ..."), their output (standard error after "! "), and "[exit
// N]" unless the code is 0. All commands of a transcript run in a new folder with the bundled data.
// After a line "# Figures within 2 %." decimal figures may differ by that much between machines.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			path, err := filepath.Abs(file)
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(workspace(t))
			got := replay(t, string(want))
			if problem := transcript.Difference(string(want), got); problem != "" && !*update {
				t.Errorf("%s (run with -update to take it over)", problem)
			} else if problem != "" {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// replay runs the commands of a transcript and returns it with the new output. It copies lines
// before the first command and comment lines.
func replay(t *testing.T, transcript string) string {
	t.Helper()
	var out strings.Builder
	for _, line := range strings.Split(strings.TrimRight(transcript, "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			fmt.Fprintln(&out, line)
			continue
		}
		command, ok := strings.CutPrefix(line, "$ unfold")
		if !ok {
			continue
		}
		fmt.Fprintln(&out, line)
		code, stdout, stderr := run(t, words(command)...)
		out.WriteString(steady(stdout))
		for _, l := range strings.SplitAfter(steady(stderr), "\n") {
			if l != "" {
				out.WriteString("! " + l)
			}
		}
		if code != 0 {
			fmt.Fprintf(&out, "[exit %d]\n", code)
		}
		out.WriteString("\n")
	}
	return out.String()
}

// run runs the program in the current folder, without progress.
func run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return runWith(t, nil, args...)
}

// runWith is run with further kinds of models.
func runWith(t *testing.T, kinds []fit.Kind, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var o, e bytes.Buffer
	code = Run(t.Context(), System{Kinds: kinds, Args: args, Stdin: strings.NewReader(""), Stdout: &o, Stderr: &e})
	return code, o.String(), e.String()
}

// runInput is run with a file as standard input.
func runInput(t *testing.T, input string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	data, err := os.ReadFile(input)
	if err != nil {
		t.Fatal(err)
	}
	var o, e bytes.Buffer
	code = Run(t.Context(), System{Args: args, Stdin: bytes.NewReader(data), Stdout: &o, Stderr: &e})
	return code, o.String(), e.String()
}

// must is run for commands that have to succeed. It returns their output.
func must(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := run(t, args...)
	if code != 0 {
		t.Fatalf("unfold %s: exit %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout
}

// words splits a command line at blanks, except inside quotes.
func words(line string) []string {
	var out []string
	for _, w := range regexp.MustCompile(`'[^']*'|"[^"]*"|[^'" ]+`).FindAllString(line, -1) {
		out = append(out, strings.Trim(w, `'"`))
	}
	return out
}

// steady replaces the parts of an output that differ from run to run.
func steady(s string) string {
	for _, r := range []struct{ pattern, by string }{
		{` in \d+(m\d+)?(\.\d+)?s\b`, " in 0s"}, {`[\d.,]+/s\b`, "0/s"}, {`(?m)^unfold (v\d|\(devel\)|\(unknown).*$`, "unfold VERSION"},
		{`about (\d+h)?(\d+m)?[\d.]+s\b`, "about 0s"}, {`(?m) +$`, ""},
		{`\b[0-9a-f]{32}\b`, "MAP-ID"},
		{`go1\.\S+ \S+/\S+`, "GO OS/ARCH"},
	} {
		s = regexp.MustCompile(r.pattern).ReplaceAllString(s, r.by)
	}
	return s
}

// workspace creates a folder with the bundled data and some bad files.
func workspace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for from, to := range map[string]string{
		"digits/train-images-idx3-ubyte.gz": "train-images-idx3-ubyte.gz", "digits/train-labels-idx1-ubyte.gz": "train-labels-idx1-ubyte.gz",
		"digits/test-images-idx3-ubyte.gz": "test-images-idx3-ubyte.gz", "digits/test-labels-idx1-ubyte.gz": "test-labels-idx1-ubyte.gz",
		"kdd/kdd.csv.gz": "kdd.csv.gz",
	} {
		data, err := os.ReadFile(filepath.Join(repository, "testdata", from))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, to), string(data))
	}
	write(t, filepath.Join(dir, "small.csv"), smallCSV())
	write(t, filepath.Join(dir, "empty.csv"), "")
	write(t, filepath.Join(dir, "short.unfold"), "\x89UNFOLD\n\x01")
	write(t, filepath.Join(dir, "few.csv"), "a,b\n1,2\n3,4\n")
	write(t, filepath.Join(dir, "nan.csv"), "a,b\n1,2\n3,NaN\n")
	write(t, filepath.Join(dir, "hole.csv"), "a,b\n1,2\n,4\n5,6\n")
	write(t, filepath.Join(dir, "ragged.csv"), "a,b\n1,2\n3\n")
	write(t, filepath.Join(dir, "equal.csv"), "a,b\n"+strings.Repeat("1,2\n", 30))
	write(t, filepath.Join(dir, "constant.csv"), "a,b,c\n1,2,5\n3,4,5\n4,6,5\n8,3,5\n0,1,5\n")
	write(t, filepath.Join(dir, "answers.csv"), answersCSV(60))
	write(t, filepath.Join(dir, "unsure.csv"), strings.Replace(answersCSV(60), "\n3,0", "\n3,0.5", 1))
	write(t, filepath.Join(dir, "flats.csv"), flatsCSV(','))
	write(t, filepath.Join(dir, "odd.csv"), strings.Replace(flatsCSV(','), ",57.5,", ",large,", 1))
	write(t, filepath.Join(dir, "commas.csv"), strings.ReplaceAll(flatsCSV(';'), ".", ","))
	write(t, filepath.Join(dir, "latin.csv"), "city,size\nUlm,1\nM\xfcnchen,3\n")
	write(t, filepath.Join(dir, "rows.json"), `[{"a": 1, "b": 2}, {"a": 3, "b": 4}]`)
	write(t, filepath.Join(dir, "lines.jsonl"), "{\"a\": 1}\n{\"a\": 2}\n")
	write(t, filepath.Join(dir, "packed.csv.xz"), "\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4\x46")
	write(t, filepath.Join(dir, "events.jsonl"), strings.Join([]string{
		`{"event_id": "e1", "kind": "login", "embedding": [0.5, 0.25, 1], "n": 1}`, `{"event_id": "e2", "kind": "order", "embedding": [0.5, 0.25, 2], "n": 1.5}`,
		`{"event_id": "e3", "kind": null, "embedding": [0.5, 0.25], "n": "7"}`, `{"event_id": "e4", "embedding": [0.5, null, 4]}`, `{"event_id": "e5", "embedding": [0.5, `,
	}, "\n"))
	if err := os.Mkdir(filepath.Join(dir, "saved"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "saved", "1.json"), "{\n  \"event_id\": \"e1\",\n  \"embedding\": [1, 2, 3]\n}\n")
	write(t, filepath.Join(dir, "saved", "2.json"), `[{"event_id": "e2", "embedding": [1, 2, 3]}, {"event_id": "e3", "embedding": [4, 5, 6]}]`)
	write(t, filepath.Join(dir, "saved", "3.bin"), "")
	write(t, filepath.Join(dir, "stage.yaml"), "source: {kafka: {brokers: [\"localhost:9092\"], topic: events}, id: event_id, keep: [kind]}\nsink: {kafka: {topic: places}}\n")
	var book bytes.Buffer
	z := zip.NewWriter(&book)
	for _, part := range []string{"[Content_Types].xml", "xl/workbook.xml"} {
		if _, err := z.Create(part); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "book.xlsx"), book.String())
	return dir
}

// flatsCSV is a table as pandas writes it, with an index. The price is much larger than the other
// columns.
func flatsCSV(comma rune) string {
	var b strings.Builder
	sep := string(comma)
	b.WriteString(strings.Join([]string{"", "flat", "area", "rooms", "city", "code", "price"}, sep) + "\n")
	for i := range 60 {
		fmt.Fprintf(&b, strings.Repeat("%v"+sep, 6)+"%v\n", i, 1001+2*i, fmt.Sprintf("%d.5", 20+i*37%60), 1+i%5, []string{"Ulm", "Rom", "Oslo"}[i%3], fmt.Sprintf("%03d", i*7%40), fmt.Sprintf("%d.25", 100000+i*7919%90000))
	}
	return b.String()
}

// smallCSV is a table of 200 rows in two groups, with one outlier.
func smallCSV() string {
	var b strings.Builder
	b.WriteString("name,x,y,z,group,size\n")
	for i := range 200 {
		g := i % 2
		x, y, z := i*37%100, i*53%100, i*71%100
		fmt.Fprintf(&b, "r%03d,%d.%02d,%d.%02d,0.%02d,g%d,%d\n", i, 5*g, x, g, y, z, g, i%7)
	}
	return b.String()
}

func write(t *testing.T, path, data string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestNothingIsLeftHalfWritten runs commands that fail late. They leave no output and no temporary
// file.
func TestNothingIsLeftHalfWritten(t *testing.T) {
	t.Chdir(workspace(t))
	must(t, "-q", "fit", "small.csv", "--columns", "x,y,z", "-o", "m.unfold")
	bad := smallCSV() + "r200,1,2,oops,g0,1\n"
	write(t, "bad.csv", bad)
	before := listing(t)
	for _, args := range [][]string{
		{"fit", "few.csv", "--columns", "*", "-o", "new.unfold", "--map", "new.parquet", "--report", "new.json"},
		{"fit", "nan.csv", "--columns", "*", "-o", "new.unfold", "--map", "new.csv"},
		{"fit", "small.csv", "--columns", "x,y,z", "-o", "new.unfold", "--map", "new.parquet", "--keep", "sigma"},
		{"embed", "bad.csv", "-m", "m.unfold", "-o", "new.parquet"},
		{"embed", "bad.csv", "-m", "m.unfold", "-o", "new.csv.gz"},
		{"embed", "small.csv", "bad.csv", "-m", "m.unfold", "-o", "new.arrow"},
		{"embed", "small.csv", "nothere.csv", "-m", "m.unfold", "-o", "new.arrow"},
		{"plot", "hole.csv", "-o", "new.png"},
		{"score", "m.unfold"},
	} {
		code, stdout, stderr := run(t, append([]string{"-q"}, args...)...)
		if code == 0 {
			t.Errorf("unfold %s: exit 0: %s", strings.Join(args, " "), stdout)
		}
		if stdout != "" || !strings.HasPrefix(stderr, "unfold: ") {
			t.Errorf("unfold %s: printed %q and %q, expected an error on standard error alone", strings.Join(args, " "), stdout, stderr)
		}
		if after := listing(t); after != before {
			t.Fatalf("unfold %s left the folder as\n%s, it was\n%s", strings.Join(args, " "), after, before)
		}
	}
}

// An interrupted command ends immediately, with exit code 1 and no output.
func TestInterrupt(t *testing.T) {
	t.Chdir(workspace(t))
	before := listing(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var o, e bytes.Buffer
	code := Run(ctx, System{
		Args:   []string{"fit", "train-images-idx3-ubyte.gz", "-o", "new.unfold", "--map", "new.parquet"},
		Stdin:  strings.NewReader(""),
		Stdout: &o, Stderr: &e,
	})
	if code != exitFailed || !strings.Contains(e.String(), "interrupted") {
		t.Errorf("exit %d, %q", code, &e)
	}
	if after := listing(t); after != before {
		t.Errorf("the folder is now\n%s", after)
	}
}

// listing returns the names in the current folder, including hidden ones.
func listing(t *testing.T) string {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintln(&b, e.Name())
	}
	return b.String()
}

// names lists a folder, including this program's temporary files in subfolders.
func names(t *testing.T, dir string) string {
	var all []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if path != dir {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, "\n")
}
