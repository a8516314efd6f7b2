package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/distance"
)

func TestValidateFindsWhatDoesNotFit(t *testing.T) {
	for name, spoil := range map[string]func(s *Snapshot){
		"kind":          func(s *Snapshot) { s.Kind = "" },
		"part's shape":  func(s *Snapshot) { s.Parts[1].Rows = 3 },
		"part's name":   func(s *Snapshot) { s.Parts[1].Name = "M" },
		"long name":     func(s *Snapshot) { s.Parts[1].Name = "abcdefghijklmnopqrs" },
		"equal names":   func(s *Snapshot) { s.Parts[1].Name = "m64" },
		"part's type":   func(s *Snapshot) { s.Parts[1].Data = []int{1, 2, 3, 4, 5, 6} },
		"part of NaN":   func(s *Snapshot) { s.Parts[2].Data.([]float64)[1] = math.NaN() },
		"absurd part":   func(s *Snapshot) { s.Parts[2].Data.([]float64)[1] = 1e308 },
		"absurd scale":  func(s *Snapshot) { s.Sigma2[2] = 1e308 },
		"absurd trifle": func(s *Snapshot) { s.Bandwidth2[2] = 1e-308 },
		"absurd score":  func(s *Snapshot) { s.GlobalScores[8] = 1e308 },
		"absurd unit":   func(s *Snapshot) { s.Student.Unit = 1e-308 },
		"absurd tail":   func(s *Snapshot) { s.Student.Tail = 1e308 },
		"empty part":    func(s *Snapshot) { s.Parts[1] = Part{"none", 0, 3, []float32{}} },
		"version":       func(s *Snapshot) { s.Version = 0 },
		"epoch":         func(s *Snapshot) { s.Epoch = 0 },
		"dim":           func(s *Snapshot) { s.Dim++ },
		"shift":         func(s *Snapshot) { s.Encoder, s.Shift = nil, make([]float64, s.Dim+1) },
		"far shift":     func(s *Snapshot) { s.Encoder, s.Shift = nil, slices.Repeat([]float64{math.Inf(1)}, s.Dim) },
		"two shifts":    func(s *Snapshot) { s.Encoder, s.Shift = []byte("{}"), make([]float64, s.Dim) },
		"names":         func(s *Snapshot) { s.Names = s.Names[1:] },
		"ids":           func(s *Snapshot) { s.IDs = s.IDs[1:] },
		"steps":         func(s *Snapshot) { s.Steps = -1 },
		"dissimilar":    func(s *Snapshot) { s.Dissimilar = 1 },
		"neighbors":     func(s *Snapshot) { s.Neighbors = 0 },
		"novelty k":     func(s *Snapshot) { s.NoveltyK = 0 },
		"novelty k, n":  func(s *Snapshot) { s.NoveltyK = 9 },
		"far mean":      func(s *Snapshot) { s.Mu.Data[3] = 1e39 },
		"no points":     func(s *Snapshot) { s.Reference = vec.Matrix[float32]{Cols: 3} },
		"means":         func(s *Snapshot) { s.Mu = s.Mu.Slice(1, 9) },
		"mean value":    func(s *Snapshot) { s.Mu.Data[3] = math.Inf(1) },
		"short matrix":  func(s *Snapshot) { s.Mu.Data = s.Mu.Data[1:] },
		"reference":     func(s *Snapshot) { s.Reference.Data[3] = float32(math.NaN()) },
		"count":         func(s *Snapshot) { s.Count[2] = 0 },
		"counts":        func(s *Snapshot) { s.Count = s.Count[1:] },
		"variance":      func(s *Snapshot) { s.Sigma2[2] = 0 },
		"bandwidth":     func(s *Snapshot) { s.Bandwidth2[2] = math.NaN() },
		"unlearnt":      func(s *Snapshot) { s.Unlearnt = s.Unlearnt[1:] },
		"k-distances":   func(s *Snapshot) { s.KDist2[2] = -1 },
		"density":       func(s *Snapshot) { s.Density[2] = math.Inf(1) },
		"score order":   func(s *Snapshot) { slices.Reverse(s.LocalScores) },
		"score number":  func(s *Snapshot) { s.GlobalScores[8] = math.Inf(1) },
		"score count":   func(s *Snapshot) { s.GlobalScores = s.GlobalScores[1:] },
		"PCA mean":      func(s *Snapshot) { s.Mean = s.Mean[1:] },
		"PCA value":     func(s *Snapshot) { s.Components.Data[1] = float32(math.NaN()) },
		"PCA rows":      func(s *Snapshot) { s.Components = s.Components.Slice(0, 2) },
		"mean, no PCA":  func(s *Snapshot) { s.Components = vec.Matrix[float32]{} },
		"partition":     func(s *Snapshot) { s.Positions[0].Partition = -1 },
		"offset":        func(s *Snapshot) { s.Positions[1].Offset = -1 },
		"tail":          func(s *Snapshot) { s.Student.Tail = 0 },
		"tail value":    func(s *Snapshot) { s.Student.Tail = math.NaN() },
		"unit":          func(s *Snapshot) { s.Student.Unit = math.Inf(1) },
		"clip":          func(s *Snapshot) { s.Student.Clip[0] = 0 },
		"clip order":    func(s *Snapshot) { s.Student.Clip[1] = .01 },
		"weight":        func(s *Snapshot) { s.Student.Weight = -1 },
		"field":         func(s *Snapshot) { s.Student.Field = "input" },
		"theta":         func(s *Snapshot) { s.Student.Theta = math.Inf(1) },
		"errors":        func(s *Snapshot) { s.Student.Error2 = s.Student.Error2[1:] },
		"error":         func(s *Snapshot) { s.Student.Error2[2] = 0 },
		"no recall":     func(s *Snapshot) { s.CellRecall = 1 },
		"index":         func(s *Snapshot) { s.Reference = s.Reference.Clone(); s.Reference.Data[5]++ },
		"novelty table": func(s *Snapshot) { s.KDist2 = nil },
	} {
		s := sample(7, 9, 3, 2, true)
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		spoil(s)
		if err := s.Validate(); err == nil {
			t.Errorf("%s: a snapshot that does not fit is taken for valid", name)
		}
		if err := Write(io.Discard, s); err == nil {
			t.Errorf("%s: a snapshot that does not fit is written", name)
		}
	}
}

// under changes a sample to a map of rows with a distance, which has neither projection nor index.
func under(d distance.Distance, s *Snapshot) *Snapshot {
	s.Distance, s.Dim, s.Names, s.Index, s.CellRecall = d, s.Reference.Cols, nil, nil, 0
	s.Mean, s.Components = nil, vec.Matrix[float32]{}
	if d.Bits() {
		s.Reference = vec.New[float32](s.Reference.Rows, s.Reference.Cols)
		for i := range s.Reference.Data {
			s.Reference.Data[i] = float32(i % 3 % 2)
		}
	}
	s.Reference = s.Reference.Clone()
	distance.Restrict(d, s.Reference)
	return s
}

// A map of rows with a distance is restored unchanged. One with parts for another distance is
// invalid.
func TestDistances(t *testing.T) {
	for _, d := range distance.All()[1:] {
		s := under(d, sample(3, 9, 3, 2, true))
		got, err := Read(bytes.NewReader(bytesOf(t, s)))
		if err != nil || got.Distance != d || !equal(got, s) {
			t.Fatalf("%v: read %+v (%v), want %+v", d, got, err, s)
		}
	}
	for name, spoil := range map[string]func(s *Snapshot){
		"another distance": func(s *Snapshot) { s.Distance = noDistance },
		"no bits":          func(s *Snapshot) { s.Distance, s.Reference.Data[4] = distance.Jaccard, 0.5 },
		"Gaussian tails":   func(s *Snapshot) { s.Student = nil },
		"a projection": func(s *Snapshot) {
			s.Mean, s.Components = make([]float32, 3), vec.New[float32](3, 3)
		},
	} {
		s := under(distance.Manhattan, sample(3, 9, 3, 2, true))
		if spoil(s); s.Validate() == nil {
			t.Errorf("%s: a snapshot that does not fit is taken for valid", name)
		}
	}
}

// A distance in a file of an older version is corrupt: readers of that version would place by
// another distance.
func TestADistanceNeedsItsVersion(t *testing.T) {
	data := bytesOf(t, under(distance.Manhattan, sample(3, 9, 3, 2, true)))
	binary.LittleEndian.PutUint32(data[8:], 2)
	seal(data)
	if _, err := Read(bytes.NewReader(data)); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "distance") {
		t.Errorf("error %v", err)
	}
}

// A map with Gaussian tails is written in the format that the first programs read.
func TestTheOldestVersionThatHoldsIt(t *testing.T) {
	for format, s := range map[uint32]*Snapshot{
		1: sample(3, 9, 3, 2, false), 2: sample(3, 9, 3, 2, true), 3: under(distance.Chebyshev, sample(3, 9, 3, 2, true)),
	} {
		info, err := ReadInfo(bytes.NewReader(bytesOf(t, s)))
		if err != nil {
			t.Fatal(err)
		}
		if info.Format != format {
			t.Errorf("heavy tails %v, distance %v: version %d, want %d", s.Student != nil, s.Distance, info.Format, format)
		}
	}
}

func TestCheckDim(t *testing.T) {
	s := sample(7, 9, 3, 2, true)
	if err := s.CheckDim(s.Dim); err != nil {
		t.Error(err)
	}
	var dim *models.DimensionError
	if err := s.CheckDim(4); !errors.As(err, &dim) || dim.Got != 4 || dim.Want != s.Dim {
		t.Errorf("got %v, want a *models.DimensionError", err)
	}
}

func TestPartsAreTakenByTheirShape(t *testing.T) {
	s := sample(3, 10, 3, 2, true)
	v, err := PartOf[float64](s, "m64", 1, 2)
	if err != nil || !slices.Equal(v, []float64{math.Pi, -1}) {
		t.Errorf("got %v, %v", v, err)
	}
	if v, err := PartOf[int64](s, "i64_", 0, 0); err != nil || len(v) != 2 {
		t.Errorf("of any shape: got %v, %v", v, err)
	}
	for name, err := range map[string]error{
		"missing": second(PartOf[float64](s, "m63", 1, 2)), "rows": second(PartOf[float64](s, "m64", 2, 2)),
		"cols": second(PartOf[float64](s, "m64", 1, 1)), "type": second(PartOf[float32](s, "m64", 1, 2)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func second[T any](_ []T, err error) error { return err }
