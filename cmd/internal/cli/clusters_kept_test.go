package cli

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A session predicts clusters of new rows without finding clusters again, unless the file or the
// settings changed. Its outputs are those of the command line.
func TestSessionKeepsClusters(t *testing.T) {
	t.Chdir(t.TempDir())
	blobs(t, "x.csv", 120, 1)
	blobs(t, "new.csv", 15, 2)
	a := ask(t)
	columns := "--columns a,b,c --min-size 8 "
	for _, step := range []struct {
		name, args string
		finds      bool
	}{
		{"the first time", columns, true},
		{"again", columns, false},
		{"other settings", columns + "--allow-single --max-size 90", true},
		{"another file", columns, true},
		{"again after that", columns, false},
	} {
		if step.name == "another file" {
			blobs(t, "x.csv", 130, 3)
		}
		args := "clusters x.csv --new new.csv " + step.args
		want := must(t, append([]string{"-q"}, words(args+" -o a.csv")...)...)
		end, before := a.run(words(args + " -o b.csv")...)
		finds := slices.ContainsFunc(before, func(s sessionAnswer) bool { return s.Progress != nil && s.Progress.Stage == "clusters" })
		if end.Code != exitDone || strings.ReplaceAll(end.Output, "b.csv", "a.csv") != want || finds != step.finds {
			t.Errorf("%s: %+v, want %s; clusters are found: %v", step.name, end, want, finds)
		}
		one, err := os.ReadFile("a.csv")
		if err != nil {
			t.Fatal(err)
		}
		if other, err := os.ReadFile("b.csv"); err != nil || string(other) != string(one) {
			t.Errorf("%s: the session writes\n%s, want\n%s (%v)", step.name, other, one, err)
		}
	}
}

// Given distances lead to the clusters of the rows. The hierarchy has a row for each point and each
// cluster, and the spanning tree is sorted.
func TestClusterTree(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "x.csv", "v\n0\n1\n2\n10\n11\n12.5\n40\n")
	values := []float64{0, 1, 2, 10, 11, 12.5, 40}
	var rows strings.Builder
	rows.WriteString("a,b,c,d,e,f,g\n")
	for _, v := range values {
		for k, w := range values {
			rows.WriteString(strings.Repeat(",", min(k, 1)) + strconv.FormatFloat(max(v-w, w-v), 'g', -1, 64))
		}
		rows.WriteByte('\n')
	}
	write(t, "d.csv", rows.String())
	flags := words("--min-size 3 --min-samples 1 --tree tree.csv --spanning spanning.csv")
	must(t, append(words("-q clusters x.csv --columns v"), flags...)...)
	tree := map[string][]float64{}
	for _, name := range []string{"parent", "child", "lambda", "size", "cluster"} {
		tree[name] = column(t, "tree.csv", name)
	}
	third, one := 1/1.5, 1.0
	for name, want := range map[string][]float64{
		"parent": {8, 8, 8, 9, 9, 9, 7, -1, 7, 7}, "child": {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
		"lambda": {one, one, one, third, third, third, 1 / 27.5, 0, 1 / 8.0, 1 / 8.0},
		"size":   {1, 1, 1, 1, 1, 1, 1, 7, 3, 3}, "cluster": {0, 0, 0, 1, 1, 1, -1, -1, 0, 1},
	} {
		if !slices.Equal(tree[name], want) {
			t.Errorf("column %s of the tree is %v, want %v", name, tree[name], want)
		}
	}
	if got := column(t, "spanning.csv", "distance"); !slices.Equal(got, []float64{1, 1, 1, 1.5, 8, 27.5}) {
		t.Errorf("the spanning tree has the lengths %v", got)
	}
	write(t, "new.csv", "v\n13.5\n1.5\n")
	must(t, words("-q clusters x.csv --columns v --min-size 3 --min-samples 1 --new new.csv --joins -o new-clusters.csv")...)
	if row, far := column(t, "new-clusters.csv", "joins"), column(t, "new-clusters.csv", "joins_distance"); !slices.Equal(row, []float64{5, 1}) || !slices.Equal(far, []float64{2.5, 0.5}) {
		t.Errorf("new rows join %v at %v", row, far)
	}
	before, err := os.ReadFile("tree.csv")
	if err != nil {
		t.Fatal(err)
	}
	must(t, append(words("-q clusters d.csv --columns * --distances"), flags...)...)
	if after, err := os.ReadFile("tree.csv"); err != nil || string(after) != string(before) {
		t.Errorf("given distances lead to\n%s, want\n%s", after, before)
	}
	for args, want := range map[string]string{
		"clusters d.csv --columns * --distances --metric cosine": "--metric",
		"clusters x.csv --columns v --tree t.npy":                "--tree",
		"clusters x.csv --columns v --max-size -1":               "--max-size",
		"clusters x.csv --columns v --spanning x.csv":            "--spanning",
		"clusters x.csv --columns v --distances":                 "n x n",
	} {
		if code, _, said := run(t, words(args)...); code == exitDone || !strings.Contains(said, want) {
			t.Errorf("%s: exit %d, %s", args, code, said)
		}
	}
}
