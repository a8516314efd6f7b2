package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"unfold/internal/vec"
	"unfold/sparse"
	"unfold/sparse/graph"
)

// ofGraph returns s changed to a snapshot of a ring graph.
func ofGraph(s *Snapshot) *Snapshot {
	out, n := *s, s.Reference.Rows
	var i, j []int32
	var w []float64
	for p := range int32(n) {
		i, j, w = append(i, p), append(j, (p+1)%int32(n)), append(w, 2)
	}
	out.Graph = &Graph{Weights: graph.Distance, Lengths: graph.Lengths(sparse.FromTriplets(n, n, i, j, w), graph.Distance)}
	out.Reference, out.Dim, out.Names, out.Index, out.CellRecall = vec.New[float32](n, 0), n, nil, nil, 0
	out.Mean, out.Components = nil, vec.Matrix[float32]{}
	return &out
}

// The map of a graph is restored unchanged, from a file of version 4.
func TestGraphIsKept(t *testing.T) {
	s := ofGraph(sample(3, 9, 3, 2, true))
	data := bytesOf(t, s)
	if info, err := ReadInfo(bytes.NewReader(data)); err != nil || info.Format != 4 {
		t.Fatalf("format %+v (%v), want 4", info, err)
	}
	back, err := Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytesOf(t, back), data) || back.Graph.Weights != graph.Distance || back.Graph.Lengths.NNZ() != 18 {
		t.Errorf("it is read as %+v", back.Graph)
	}
	binary.LittleEndian.PutUint32(data[8:], 3)
	seal(data)
	if _, err := Read(bytes.NewReader(data)); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "graph") {
		t.Errorf("in a file of version 3: error %v", err)
	}
}

// An invalid graph is a corrupt file.
func TestBadGraphs(t *testing.T) {
	for name, spoil := range map[string]func(s *Snapshot){
		"other weights":    func(s *Snapshot) { s.Graph.Weights = -1 },
		"one way longer":   func(s *Snapshot) { s.Graph.Lengths.Data[0] = 7 },
		"a length of 0":    func(s *Snapshot) { s.Graph.Lengths.Data[0] = 0 },
		"no length":        func(s *Snapshot) { s.Graph.Lengths.Data[0] = math.NaN() },
		"beyond its nodes": func(s *Snapshot) { s.Graph.Lengths.Index[1] = 90 },
		"fewer nodes":      func(s *Snapshot) { s.Graph.Lengths.N-- },
		"vectors":          func(s *Snapshot) { s.Reference = vec.New[float32](9, 2) },
		"another size":     func(s *Snapshot) { s.Dim++ },
		"no graph":         func(s *Snapshot) { s.Graph = nil },
		"in parts": func(s *Snapshot) {
			s.Graph.Lengths = sparse.FromTriplets(9, 9, []int32{0, 1}, []int32{1, 0}, []float64{1, 1})
		},
	} {
		s := ofGraph(sample(3, 9, 3, 2, true))
		spoil(s)
		if err := s.Validate(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
