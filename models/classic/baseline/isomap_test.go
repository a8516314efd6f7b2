package baseline

import (
	"encoding/csv"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// The default number of landmarks depends on the number of rows, and an explicit number is used as
// given.
func TestLandmarksByRows(t *testing.T) {
	for _, c := range []struct{ points, n, want int }{
		{0, 60, 60}, {0, 1000, 1000}, {0, 2000, 500}, {0, 4000, 250}, {0, 1_000_000, 250}, {300, 100, 300}, {300, 50_000, 300},
	} {
		s, err := Settings{Points: c.points}.Resolved(Isomap)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.of(Isomap, c.n).Points; got != c.want {
			t.Errorf("%d asked, of %d rows: %d, want %d", c.points, c.n, got, c.want)
		}
	}
}

// With a tenth of the points as landmarks, a roll is flattened nearly as well as with all.
func TestFewLandmarksAreLikeAll(t *testing.T) {
	x := vec.Convert[float32](modeltest.SwissRoll(600))
	var maps []vec.Matrix[float64]
	for _, points := range []int{600, 60} {
		f, err := Fit(t.Context(), Isomap, x, Settings{Common: models.Common{Seed: 1}, Points: points})
		if err != nil {
			t.Fatal(err)
		}
		mu, _, err := f.PlaceAll(t.Context(), x, nil)
		if err != nil {
			t.Fatal(err)
		}
		maps = append(maps, mu)
	}
	whole, few := maps[0], maps[1]
	motion := placing.NewMotion(few, whole)
	var missed, all float64
	for i := range few.Rows {
		motion.Forth(few.Row(i))
		missed += vec.SquaredDistance(few.Row(i), whole.Row(i))
		all += vec.SquaredNorm(whole.Row(i))
	}
	if !(missed < 0.05*0.05*all) {
		t.Errorf("the maps differ by %g of their extent", math.Sqrt(missed/all))
	}
}

// A model file that an earlier version wrote without landmarks, for a sample of 30 of 60 rows,
// places rows as that version did (sample.csv).
func TestEarlierSampleIsRead(t *testing.T) {
	file, err := os.Open("testdata/sample.unfold")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s, err := snapshot.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlacer(s, placing.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/sample.csv")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	x, want := vec.New[float32](len(rows)-1, 3), vec.New[float64](len(rows)-1, 2)
	for i, row := range rows[1:] {
		for c, cell := range row {
			v, err := strconv.ParseFloat(cell, 64)
			switch {
			case err != nil:
				t.Fatal(err)
			case c < 3:
				x.Row(i)[c] = float32(v)
			default:
				want.Row(i)[c-3] = v
			}
		}
	}
	placed, err := p.Place(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "placed", vec.Convert[float64](placed.Mu), want, []float64{1, 1})
}

// Invalid landmarks and path lengths in a file are rejected.
func TestPathsAreChecked(t *testing.T) {
	x := modeltest.Events(3, 40, 3)
	f, err := Fit(t.Context(), Isomap, x, Settings{Points: 10})
	if err != nil {
		t.Fatal(err)
	}
	learnt := f.model.(*scaled)
	for want, spoil := range map[string]func(parts []snapshot.Part){
		`part "paths" is 40 x 10`:          func(p []snapshot.Part) { p[0] = placing.Numbers("landmarks", learnt.marks[1:]) },
		`element 9 of part "landmarks"`:    func(p []snapshot.Part) { p[0].Data.([]uint32)[9] = 40 },
		`part "paths" is 40 x 10 of []flo`: func(p []snapshot.Part) { p[0].Name = "other" },
	} {
		parts := learnt.pathParts()
		spoil(parts)
		again := &scaled{learnt: learnt.learnt}
		if err := again.readPaths(&snapshot.Snapshot{Parts: parts}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	again := &scaled{learnt: learnt.learnt}
	if err := again.readPaths(&snapshot.Snapshot{Parts: learnt.pathParts()}); err != nil || !slices.Equal(again.paths.Data, learnt.paths.Data) {
		t.Errorf("read back: %v", err)
	}
}
