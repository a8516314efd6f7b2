package cli

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"unfold/ingest"
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
	write(t, "few.csv", "x,y\n1,2\n")
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
		{"a model as the frame", []string{"fit", "--graph", "links.csv", "--frame", "rows.unfold", "-o", "m"}, "a file with their coordinates"},
		{"a frame of other nodes", []string{"fit", "--graph", "links.csv", "--frame", "few.csv", "-o", "m"}, "1 row"},
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

// The map of a graph lies as the given coordinates of its nodes do, also where only some are given.
func TestGraphInFrame(t *testing.T) {
	t.Chdir(t.TempDir())
	const n = 40
	var edges, frame strings.Builder
	edges.WriteString("source,target\n")
	frame.WriteString("id,x,y\n")
	want := make([][2]float64, n)
	for i := range n {
		fmt.Fprintf(&edges, "n%d,n%d\nn%d,n%d\n", i, (i+1)%n, i, (i+2)%n)
		angle := 2 * math.Pi * float64(i) / n
		want[i] = [2]float64{10 * math.Cos(angle), 10 * math.Sin(angle)}
		if i%3 > 0 {
			fmt.Fprintf(&frame, "n%d,%g,%g\n", i, want[i][0], want[i][1])
		}
	}
	write(t, "ring.csv", edges.String())
	write(t, "frame.csv", frame.String())
	must(t, "-q", "fit", "--graph", "ring.csv", "--frame", "frame.csv", "-o", "m.unfold", "--map", "map.csv", "--steps", "40")
	id, err := ingest.ReadMap(t.Context(), "map.csv", ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dot, far := 0.0, 0.0
	for i, name := range id.ID.Strings() {
		k, err := strconv.Atoi(name[1:])
		if err != nil {
			t.Fatal(err)
		}
		at := id.Embedding.Row(i)
		dot += float64(at[0])*want[k][0] + float64(at[1])*want[k][1]
		far += 10 * math.Hypot(float64(at[0]), float64(at[1]))
	}
	if cosine := dot / far; cosine < 0.95 {
		t.Errorf("the directions of the map and of its frame have the cosine %v", cosine)
	}
}
