package fit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/lvm"
	"unfold/models/placing"
	"unfold/models/prior"
	"unfold/models/saul"
	"unfold/models/snapshot"
	"unfold/sparse"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// edgesOf returns a graph of n nodes with the edges from each, all of weight 1.
func edgesOf(n int, each func(edge func(i, j int))) *sparse.CSR {
	var i, j []int32
	var w []float64
	each(func(a, b int) { i, j, w = append(i, int32(a)), append(j, int32(b)), append(w, 1) })
	return sparse.FromTriplets(n, n, i, j, w)
}

func ring(n int) *sparse.CSR {
	return edgesOf(n, func(edge func(i, j int)) {
		for i := range n {
			edge(i, (i+1)%n)
		}
	})
}

func grid(rows, columns int) *sparse.CSR {
	return edgesOf(rows*columns, func(edge func(i, j int)) {
		for i := range rows * columns {
			if (i+1)%columns > 0 {
				edge(i, i+1)
			}
			if i+columns < rows*columns {
				edge(i, i+columns)
			}
		}
	})
}

// blocks returns a stochastic block model: node i belongs to block i mod 4.
func blocks(n int) *sparse.CSR {
	r := rand.New(rand.NewPCG(3, 5))
	return edgesOf(n, func(edge func(i, j int)) {
		for i := range n {
			for j := range i {
				p := 0.005
				if i%4 == j%4 {
					p = 0.12
				}
				if r.Float64() < p {
					edge(i, j)
				}
			}
		}
	})
}

// trust returns the trustworthiness of a map for 10 neighbours, by path lengths.
func trust(a *sparse.CSR, mu vec.Matrix[float32]) float64 {
	const k = 10
	n := a.N
	joined, _ := graph.Bridged(graph.Lengths(a, graph.Similarity))
	p, far, f := graph.PathsOf(joined), make([]float64, n), &graph.Frontier{}
	near, err := knn.NewExact(mu).Search(context.Background(), mu, k+1, knn.Settings{})
	if err != nil {
		panic(err)
	}
	var sum float64
	for i := range n {
		p.From(i, far, f)
		index, _ := near.Row(i)
		for _, j := range index {
			if int(j) == i {
				continue
			}
			rank := 0 // of j among the others; ties count for it
			for o, d := range far {
				if o != i && d < far[j] {
					rank++
				}
			}
			sum += max(0, float64(rank+1-k))
		}
	}
	return 1 - 2*sum/float64(n*k*(2*n-3*k-1))
}

// Maps of a ring, a grid and groups keep the order of path lengths in the graph.
func TestGraphsKeepTheirOrder(t *testing.T) {
	for _, c := range []struct {
		name  string
		a     *sparse.CSR
		least float64
		tails lvm.Tails
	}{
		{"ring", ring(200), 0.999, lvm.Student}, {"grid", grid(18, 12), 0.98, lvm.Student}, {"blocks", blocks(240), 0.75, lvm.Student},
		{"ring", ring(200), 0.99, lvm.Gaussian}, {"grid", grid(18, 12), 0.97, lvm.Gaussian}, {"blocks", blocks(240), 0.75, lvm.Gaussian},
	} {
		t.Run(c.name+", "+c.tails.String(), func(t *testing.T) {
			s, r, err := Graph(t.Context(), c.a, graph.Similarity, Spec{LVM: lvm.Options{Tails: c.tails}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := trust(c.a, r.Placed.Mu); !(got >= c.least) {
				t.Errorf("trustworthiness %.4f, want %v at least", got, c.least)
			}
			if err := s.Validate(); err != nil {
				t.Error(err)
			}
			if c.name != "blocks" {
				return
			}
			near, err := knn.Graph(t.Context(), r.Placed.Mu, 5, knn.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			own := 0
			for p, j := range near.Index {
				if p/near.K%4 == int(j)%4 {
					own++
				}
			}
			if share := float64(own) / float64(len(near.Index)); share < 0.95 {
				t.Errorf("%.3f of the neighbours on the map are of a node's own block", share)
			}
		})
	}
}

// The map does not depend on the number of threads. Its file, of format 4, restores the same map.
func TestGraphRepeats(t *testing.T) {
	var files [2]bytes.Buffer
	for i := range files {
		s, _, err := Graph(t.Context(), blocks(240), graph.Similarity, Spec{Common: models.Common{Threads: 1 + 2*i, Steps: 30}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := snapshot.Write(&files[i], s); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("two fits with other threads are different files")
	}
	info, err := snapshot.ReadInfo(bytes.NewReader(files[0].Bytes()))
	if err != nil || info.Format != 4 {
		t.Errorf("format %v, error %v", info, err)
	}
	s, err := snapshot.Read(&files[0])
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := snapshot.Write(&again, s); err != nil || !bytes.Equal(again.Bytes(), files[1].Bytes()) {
		t.Errorf("read and written it is another file, error %v", err)
	}
}

// A new node with the edges of an old node is placed near it.
func TestGraphPlacesNearItsLike(t *testing.T) {
	a := grid(18, 12)
	s, _, err := Graph(t.Context(), a, graph.Similarity, Spec{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Open(s, placing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x := vec.New[float32](a.N, a.N)
	for i := range a.N {
		to, _ := s.Graph.Lengths.Row(i)
		for _, j := range to {
			x.Row(i)[j] = 1
		}
	}
	at, err := p.Place(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	far := 0
	for i := range a.N {
		nearer := 0
		own := math.Hypot(float64(at.Mu.Row(i)[0])-s.Mu.Row(i)[0], float64(at.Mu.Row(i)[1])-s.Mu.Row(i)[1])
		for j := range a.N {
			if math.Hypot(float64(at.Mu.Row(i)[0])-s.Mu.Row(j)[0], float64(at.Mu.Row(i)[1])-s.Mu.Row(j)[1]) < own {
				nearer++
			}
		}
		if nearer > 4 {
			far++
		}
	}
	if far > a.N/20 {
		t.Errorf("%d of %d nodes are placed beyond the nearest five of their like", far, a.N)
	}
	if _, err := p.Place(t.Context(), vec.New[float32](1, a.N)); err == nil {
		t.Error("a node without an edge has a place")
	}
}

// Invalid graphs are bad input, and settings that do not apply to graphs are refused.
func TestGraphRefuses(t *testing.T) {
	lone := edgesOf(20, func(edge func(i, j int)) { edge(0, 1); edge(2, 2) })
	var alone *LoneError
	if _, _, err := Graph(t.Context(), lone, graph.Similarity, Spec{}, nil); !errors.As(err, &alone) || alone.Node != 2 || !models.IsBadInput(err) {
		t.Errorf("a node without an edge: %v", err)
	}
	below := ring(20)
	below.Data[3] = -1
	var row *models.RowError
	if _, _, err := Graph(t.Context(), below, graph.Distance, Spec{}, nil); !errors.As(err, &row) || row.Row != 3 {
		t.Errorf("a weight below 0: %v", err)
	}
	var setting *models.SettingError
	for name, spec := range map[string]Spec{
		"kind": {Kind: LLLVM}, "pca": {PCA: 3}, "components": {LVM: lvm.Options{Tails: lvm.Gaussian, Saul: saul.Options{Components: saul.Largest}}},
		"frame": {LVM: lvm.Options{Tails: lvm.Gaussian, Saul: saul.Options{Prior: prior.Settings{Frame: prior.PCA}}}},
	} {
		if _, _, err := Graph(t.Context(), ring(20), graph.Similarity, spec, nil); !errors.As(err, &setting) || setting.Name != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A frozen file of format 4 is read, and places new nodes as when it was written.
func TestFrozenGraph(t *testing.T) {
	path := filepath.Join(frozenDir, "v4-graph")
	if *freeze {
		freezeGraph(t, path)
	}
	if info, err := readInfo(path + ".unfold"); err != nil || info.Format != 4 {
		t.Fatalf("format %+v (%v), want 4", info, err)
	}
	s, err := snapshot.ReadFile(path + ".unfold")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var want golden
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	for i, got := range graphPlaces(t, s, want.Events) {
		w := want.Places["auto"][i]
		for c, v := range got.Mu {
			if math.Abs(float64(v-w.Mu[c])) > 1e-4 {
				t.Errorf("new node %d is at %v, was at %v", i, got.Mu, w.Mu)
			}
		}
	}
}

// freezeGraph writes the file if it is missing.
func freezeGraph(t *testing.T, path string) {
	if _, err := os.Stat(path + ".unfold"); err == nil {
		return
	}
	s, _, err := Graph(t.Context(), grid(8, 5), graph.Similarity, Spec{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.MapID, err = s.ContentID(); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := snapshot.Write(&b, s); err != nil {
		t.Fatal(err)
	}
	g := golden{Events: [][]float32{make([]float32, 40), make([]float32, 40)}}
	g.Events[0][0], g.Events[0][6], g.Events[1][39] = 1, 0.5, 2
	g.Places = map[string][]goldenPlace{"auto": graphPlaces(t, s, g.Events)}
	text, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(path+".unfold", b.Bytes(), 0o644), os.WriteFile(path+".json", text, 0o644)); err != nil {
		t.Fatal(err)
	}
}

func graphPlaces(t *testing.T, s *snapshot.Snapshot, events [][]float32) (out []goldenPlace) {
	t.Helper()
	p, err := Open(s, placing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x := vec.New[float32](len(events), s.Dim)
	for i, e := range events {
		copy(x.Row(i), e)
	}
	at, err := p.Place(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	for i := range events {
		out = append(out, goldenPlace{Mu: at.Mu.Row(i), Sigma: at.Sigma[i], Local: at.NoveltyLocal[i], Global: at.NoveltyGlobal[i]})
	}
	return out
}
