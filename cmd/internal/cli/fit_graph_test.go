package cli

import (
	"os"
	"strings"
	"testing"
)

// The nodes of a graph keep their names for any order of the edges, and new nodes have their own.
// All matrix formats of a graph give the same model.
func TestGraphNames(t *testing.T) {
	atTables(t)
	must(t, "fit", "--graph", "links.csv", "-o", "net.unfold", "--map", "net.csv", "--steps", "20")
	lines := linesOf(t, "net.csv")
	if len(lines) != 161 || !strings.HasPrefix(lines[1], "a00,") || !strings.HasPrefix(lines[160], "d39,") {
		t.Errorf("%d lines, first %s, last %s", len(lines), lines[1], lines[len(lines)-1])
	}
	edges := linesOf(t, "links.csv")
	for i, j := 1, len(edges)-1; i < j; i, j = i+1, j-1 {
		edges[i], edges[j] = edges[j], edges[i]
	}
	write(t, "back.csv", strings.Join(edges, "\n")+"\n")
	must(t, "fit", "--graph", "back.csv", "-o", "back.unfold", "--steps", "20")
	equalFiles(t, "net.unfold", "back.unfold")
	must(t, "embed", "--graph", "new-links.csv", "-m", "net.unfold", "-o", "new.csv")
	if lines := linesOf(t, "new.csv"); len(lines) != 9 || !strings.HasPrefix(lines[1], "new-a0,") {
		t.Errorf("new nodes are\n%s", strings.Join(lines, "\n"))
	}
	must(t, "fit", "--graph", "net.npz", "-o", "npz.unfold", "--steps", "20")
	must(t, "fit", "--graph", "net.mtx", "-o", "mtx.unfold", "--steps", "20")
	equalFiles(t, "npz.unfold", "mtx.unfold")
}

func linesOf(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func equalFiles(t *testing.T, a, b string) {
	t.Helper()
	x, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.ReadFile(b)
	if err != nil {
		t.Fatal(err)
	}
	if string(x) != string(y) {
		t.Errorf("%s and %s differ", a, b)
	}
}

// Flags that conflict with a graph or its map cause an error with advice.
func TestGraphErrors(t *testing.T) {
	atTables(t)
	must(t, "fit", "--graph", "links.csv", "-o", "net.unfold", "--steps", "5")
	must(t, "fit", "embeddings.parquet", "-o", "rows.unfold", "--steps", "5")
	write(t, "lone.csv", "source,target\na,b\nb,c\nc,a\nx,x\n")
	write(t, "below.csv", "source,target,weight\na,b,1\nb,c,-2\n")
	write(t, "other.csv", "a,b\n1,2\n")
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"rows", []string{"fit", "links.csv", "--graph", "links.csv", "-o", "m"}, "give either files of rows or --graph"},
		{"columns", []string{"fit", "--graph", "links.csv", "--columns", "*", "-o", "m"}, "--graph and --columns"},
		{"components", []string{"fit", "--graph", "links.csv", "--pca", "3", "-o", "m"}, "--graph and --pca"},
		{"another kind", []string{"fit", "--graph", "links.csv", "--kind", "lllvm", "-o", "m"}, "choose kind lvm"},
		{"the largest part", []string{"fit", "--graph", "links.csv", "--tails", "gaussian", "--components", "largest", "-o", "m"}, "choose connect"},
		{"another frame", []string{"fit", "--graph", "links.csv", "--frame", "pca", "-o", "m"}, "choose geodesic"},
		{"weights alone", []string{"fit", "links.csv", "--graph-weights", "distance", "-o", "m"}, "it goes with --graph"},
		{"other weights", []string{"fit", "--graph", "roads.jsonl", "-o", "m"}, "give --graph-weights distance"},
		{"a node alone", []string{"fit", "--graph", "lone.csv", "-o", "m"}, `the node "x" has no edge`},
		{"a weight below 0", []string{"fit", "--graph", "below.csv", "-o", "m"}, "the similarity is -2"},
		{"no edges", []string{"fit", "--graph", "other.csv", "-o", "m"}, "to source and target"},
		{"no square", []string{"fit", "--graph", "new-net.npz", "-o", "m"}, "as many rows as columns"},
		{"rows on a graph", []string{"embed", "embeddings.parquet", "-m", "net.unfold", "-o", "p.csv"}, "place new nodes by their edges"},
		{"reasons", []string{"explain", "net.unfold", "embeddings.parquet"}, "place new nodes by their edges"},
		{"an update", []string{"update", "net.unfold", "embeddings.parquet", "-o", "m"}, "place new nodes by their edges"},
		{"nodes on rows", []string{"embed", "--graph", "new-links.csv", "-m", "rows.unfold", "-o", "p.csv"}, "it is a map of vectors"},
		{"unknown nodes", []string{"embed", "--graph", "flows.parquet", "-m", "net.unfold", "-o", "p.csv"}, "there is no node"},
		{"another matrix", []string{"embed", "--graph", "near-graph.npz", "-m", "net.unfold", "-o", "p.csv"}, "600 columns, and the graph has 160 nodes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if code, _, stderr := run(t, c.args...); code == 0 || !strings.Contains(stderr, c.want) {
				t.Errorf("exit %d: %s, expected %q", code, stderr, c.want)
			}
		})
	}
}
