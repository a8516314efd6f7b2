package cli

import (
	"os"
	"strings"
	"testing"

	"unfold/internal/foreign"
)

// Columns that the output format stores as another type are reported once, before anything is
// learnt or written. A type that it cannot store is an error, and no file is written.
func TestHeldIsSaidOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	foreign.Run(t, `
import pyarrow as pa, pyarrow.ipc
n = 60
table = pa.table({
    "x": [(i * 7 % 11) / 11 for i in range(n)], "y": [(i * 5 % 13) / 13 for i in range(n)],
    "at": pa.array(range(n), pa.int64()).cast(pa.timestamp("us", "Europe/Berlin")), "word": pa.array([str(i % 3) for i in range(n)]).dictionary_encode(),
    "other": pa.array([str(i % 2) for i in range(n)]).dictionary_encode(), "plain": range(n),
    "gap": pa.array([(1, 2, 3)] * n, pa.month_day_nano_interval()),
})
for name in ["a.arrow", "b.arrow"]:
    with pa.ipc.new_file(name, table.schema) as w: w.write(table)
`)
	const keep = " --columns x,y --keep at,word,other,plain -o m.unfold --map "
	for name, c := range map[string]struct{ args, want string }{
		"fit to Parquet":     {"fit a.arrow" + keep + "out.parquet", "columns that out.parquet holds as something else: at (the same moment in UTC); word, other (the values without their dictionary)"},
		"fit to Arrow":       {"fit a.arrow" + keep + "out.arrow", "columns that out.arrow holds as something else: word, other (the values without their dictionary)"},
		"fit to CSV":         {"fit a.arrow" + keep + "out.csv", "columns that out.csv holds as something else: at (text)"},
		"fit without a map":  {"fit a.arrow --columns x,y --keep at,word -o m.unfold", ""},
		"embed two files":    {"embed a.arrow b.arrow -m k.unfold -o out.parquet", "columns that out.parquet holds as something else: at (the same moment in UTC); word, other (the values without their dictionary)"},
		"embed to npy":       {"embed a.arrow -m k.unfold -o out.npy", "columns that out.npy holds as something else: at, word, other, plain (left out)"},
		"embed with nothing": {"embed a.arrow --keep plain -m k.unfold -o out.parquet", ""},
	} {
		if strings.HasPrefix(name, "embed") {
			must(t, strings.Fields("fit a.arrow --columns x,y --keep at,word,other,plain -o k.unfold")...)
		}
		code, _, stderr := run(t, strings.Fields(c.args)...)
		if code != 0 {
			t.Fatalf("%s: exit %d, says %s", name, code, stderr)
		}
		var said []string
		for line := range strings.Lines(stderr) {
			if strings.Contains(line, "as something else") {
				said = append(said, strings.TrimPrefix(strings.TrimSpace(line), "note: "))
			}
		}
		if strings.Join(said, "\n") != c.want {
			t.Errorf("%s: says %q, want %q", name, said, c.want)
		}
	}
	for name, args := range map[string]string{
		"fit": "fit a.arrow --columns x,y --keep gap -o refused.unfold --map refused.parquet", "embed": "embed a.arrow --keep gap -m k.unfold -o refused.parquet",
	} {
		code, _, stderr := run(t, strings.Fields(args)...)
		if code != exitBadInput || !strings.Contains(stderr, `refused.parquet: column "gap": there is no type in Parquet for month_day_nano_interval`) {
			t.Errorf("%s: exit %d, says %q", name, code, stderr)
		}
		for _, file := range []string{"refused.unfold", "refused.parquet"} {
			if _, err := os.Stat(file); err == nil {
				t.Errorf("%s: %s is there", name, file)
			}
		}
	}
}
