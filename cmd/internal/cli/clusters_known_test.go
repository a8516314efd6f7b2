package cli

import (
	"os"
	"strings"
	"testing"
)

// Distances that a sparse matrix does not have are unknown. If the distances along the spanning
// tree are known, the tree does not change. Predictions need all distances.
func TestClustersOfKnownDistances(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "x.csv", "v\n0\n1\n2\n10\n11\n12.5\n")
	write(t, "d.mtx", `%%MatrixMarket matrix coordinate real general
6 6 7
2 1 1
3 1 2
3 2 1
4 3 8
5 4 1
6 4 2.5
6 5 1.5
`)
	flags := words("--min-size 3 --min-samples 1 --tree tree.csv --spanning spanning.csv")
	trees := map[string]string{}
	for _, args := range []string{"-q clusters x.csv --columns v", "-q clusters d.mtx --distances"} {
		must(t, append(words(args), flags...)...)
		for _, name := range []string{"tree.csv", "spanning.csv"} {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if before, there := trees[name]; there && before != string(text) {
				t.Errorf("%s of the known distances is\n%s, want\n%s", name, text, before)
			}
			trees[name] = string(text)
		}
	}
	for args, want := range map[string]string{
		"clusters d.mtx --distances --min-size 3 --min-samples 1 --new d.mtx -o new.csv": "need the distances of new rows from all rows",
		"clusters d.mtx --distances --min-size 3 --min-samples 3":                        "known distances from others",
	} {
		if code, _, said := run(t, words(args)...); code != exitBadInput || !strings.Contains(said, want) {
			t.Errorf("%s: exit %d, %s", args, code, said)
		}
	}
}
