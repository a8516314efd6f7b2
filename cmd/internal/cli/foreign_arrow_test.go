package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/internal/foreign"
	"unfold/internal/testkit/tier"
	"unfold/stream"
	"unfold/stream/streamtest"
)

// polarsFrames writes 12 streams of 20 events with polars' defaults, the same as two files, and the
// Arrow file of one of them.
const polarsFrames = `
import sys, polars as pl, random
folder = sys.argv[1]
random.seed(1)
def frame(k):
    ids = range(20 * k, 20 * k + 20)
    return pl.DataFrame({
        "name": [f"event number {i}" for i in ids],
        "v": pl.Series([[random.gauss(5 * (i % 2), 1) for _ in range(4)] for i in ids], dtype=pl.List(pl.Float32)),
        "text": [None if i % 7 == 0 else "word " * (i % 5) for i in ids],
        "category": pl.Series([["red", "green", "a colour of many letters"][i % 3] for i in ids], dtype=pl.Categorical),
        "bytes": [f"bytes of {i}".encode() for i in ids],
        "tags": [["a", f"the tag of {i}"] for i in ids],
        "number": list(ids),
    })
frames = [frame(k) for k in range(12)]
for k, f in enumerate(frames):
    f.write_ipc_stream(f"{folder}/{k}.arrows")
pl.concat(frames).write_ipc_stream(f"{folder}/all.arrows")
pl.concat(frames).write_ipc(f"{folder}/all.arrow")
`

// judge compares, with pyarrow, the kept columns of outputs with those of the source stream, by id.
// It also validates the files.
const judge = `
import sys, pyarrow as pa, pyarrow.compute as pc
def read(path):
    with open(path, "rb") as f:
        head = f.read(6)
    t = (pa.ipc.open_file if head == b"ARROW1" else pa.ipc.open_stream)(pa.memory_map(path)).read_all()
    t.validate(full=True)
    return t
source = {r["name"]: r for r in read(sys.argv[1]).to_pylist()}
rows = 0
for path in sys.argv[2:]:
    for row in read(path).to_pylist():
        want = source[row["id"]]
        for column in ("text", "category", "bytes", "tags"):
            assert row[column] == want[column], (path, column, row[column], want[column])
        assert len(row["embedding"]) == 2, row
        rows += 1
print(rows)
`

const keepAll = "text,category,bytes,tags"

// Files of polars can be inspected, learnt and placed. Their texts, categories and bytes are
// preserved.
func TestFilesOfPolars(t *testing.T) {
	t.Chdir(t.TempDir())
	foreign.Run(t, polarsFrames, ".")
	for _, in := range []string{"all.arrows", "all.arrow"} {
		if out := must(t, "inspect", in); !strings.Contains(out, "rows of 7 columns") || !strings.Contains(out, "a colour of many") {
			t.Errorf("inspect %s says\n%s", in, out)
		}
		must(t, "-q", "fit", in, "-o", "m.unfold", "--map", "map.arrow", "--vector", "v", "--id", "name", "--keep", keepAll, "--label", "category")
		must(t, "-q", "embed", in, "-m", "m.unfold", "-o", "placed.arrow")
		if out := strings.TrimSpace(string(foreign.Run(t, judge, "all.arrows", "map.arrow", "placed.arrow"))); out != "480" {
			t.Errorf("%s: %s rows are right", in, out)
		}
		// Categories are encoded as words: one element of the vector each.
		must(t, "-q", "fit", in, "-o", "w.unfold", "--columns", "number:standardize,category", "--id", "name")
	}
}

// The same as messages.
func TestMessagesOfPolars(t *testing.T) {
	tier.Full(t, "it runs Python libraries")
	union, err := os.ReadFile(filepath.Join(repository, "testdata", "foreign", "arrow", "dense_union.arrows"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	folder := t.TempDir()
	foreign.Run(t, polarsFrames, folder)
	brokers, configuration := broker(t, "events", "places", "dead")
	var messages []stream.Message
	for k := range 12 {
		value, err := os.ReadFile(filepath.Join(folder, fmt.Sprint(k)+".arrows"))
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, stream.Message{Key: fmt.Append(nil, k), Value: value})
	}
	// Unsupported messages become dead letters with a reason.
	file, err := os.ReadFile(filepath.Join(folder, "all.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	messages = append(messages, stream.Message{Value: union}, stream.Message{Value: file}, stream.Message{Value: []byte(`{"v": [1, 2]}`)})
	send(t, brokers, 0, 0, nil, messages...)
	text, err := os.ReadFile(configuration)
	if err != nil {
		t.Fatal(err)
	}
	write(t, configuration, strings.Replace(string(text), "id: name}", "id: name, format: arrow, keep: ["+keepAll+"]}", 1))
	runUntil(t, configuration, `map version 1`, func(address string) {
		streamtest.Await(t, "240 events are placed, 3 messages are not", func() bool {
			_, body := get(t, address, "/metrics")
			return strings.Contains(body, "unfold_events_placed_total 240\n") && strings.Contains(body, `unfold_messages_dead_lettered_total{stage="VALUE_CONVERTER"} 3`)
		})
	})
	args := []string{filepath.Join(folder, "all.arrows")}
	for k, m := range contents(t, brokers, "places") {
		path := filepath.Join(folder, fmt.Sprintf("placed-%d.arrows", k))
		if err := os.WriteFile(path, m.Value, 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	if out := strings.TrimSpace(string(foreign.Run(t, judge, args...))); out != "240" {
		t.Errorf("%s rows are right", out)
	}
	list := must(t, "dlq", "list", "-c", configuration)
	for _, want := range []string{`column "x": a union is not supported; write a column for each of its types`,
		"this looks like an Arrow file; a message has to be one Arrow IPC stream", "this looks like JSON"} {
		if !strings.Contains(list, want) {
			t.Errorf("the dead letters say\n%swithout %q", list, want)
		}
	}
}

// Two columns with the same name are rejected before anything is read or learnt.
func TestTwoColumnsOfOneName(t *testing.T) {
	t.Chdir(t.TempDir())
	foreign.Run(t, `
import pyarrow as pa
v = pa.array([[float(i), 1.0] for i in range(30)], pa.list_(pa.float32(), 2))
n = pa.array(range(30))
def write(name, **columns):
    write_all(name, list(columns.values()), list(columns))
def write_all(name, columns, names):
    t = pa.table(columns, names=names)
    with pa.ipc.new_stream(name, t.schema) as w:
        w.write_table(t)
write_all("twice.arrows", [v, n, n], ["embedding", "embedding", "n"])
write("good.arrows", v=v, sigma=n, embedding_1=n, unlearnt=n, label=n, n=n)
`)
	write(t, "labels.csv", "label\n"+strings.Repeat("a\n", 30))
	must(t, "-q", "fit", "good.arrows", "-o", "m.unfold", "--neighbors", "4")
	for _, c := range []struct {
		code int
		args string
		want string
	}{
		{3, "fit twice.arrows -o x.unfold --vector embedding", `column "embedding": columns 1 (fixed_size_list<float32>[2]) and 2 (int64) have this name`},
		{3, "fit twice.arrows -o x.unfold --id embedding", `rename all but one of them`},
		{1, "embed twice.arrows -m m.unfold -o x.csv --keep embedding", `column "embedding" cannot be kept`},
		{3, "embed twice.arrows -m m.unfold -o x.csv --id embedding", `column "embedding": columns 1`},
		{2, "fit good.arrows -o x.unfold --keep sigma", `column "sigma" cannot be kept`},
		{1, "embed good.arrows -m m.unfold -o x.arrow --keep sigma", `column "sigma" cannot be kept`},
		{2, "fit good.arrows -o x.unfold --map x.csv --keep embedding_1", `column "embedding_1" cannot be kept in x.csv`},
		{1, "embed good.arrows -m m.unfold -o x.csv --keep embedding_1", `column "embedding_1" cannot be kept in x.csv`},
		{2, "fit good.arrows -o x.unfold --map x.arrow --keep unlearnt --tails gaussian --components largest", `column "unlearnt" cannot be kept`},
		{1, "embed good.arrows -m m.unfold -o x.arrow --keep label --label-file labels.csv", `column "label" cannot be kept`},
	} {
		if code, _, stderr := run(t, strings.Fields(c.args)...); code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, %s\nwant %d, %s", c.args, code, stderr, c.code, c.want)
		}
		for _, left := range []string{"x.unfold", "x.csv", "x.arrow"} {
			if _, err := os.Stat(left); err == nil {
				t.Errorf("%s: %s is left", c.args, left)
			}
		}
	}
}
