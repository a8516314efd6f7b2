package lvm

import (
	"encoding/json"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"unfold/models"
	"unfold/models/prior"
	"unfold/models/saul"
	"unfold/models/student"
	"unfold/sparse/knn/auto"
)

// drawFile draws a valid settings file.
func drawFile(t *rapid.T, tails Tails) File {
	number := func(name string) float64 { return rapid.Float64Range(0, 9).Draw(t, name) }
	count := func(name string) int { return rapid.IntRange(-1, 99).Draw(t, name) }
	f := File{
		Dims: count("dims"), Tails: tails, Neighbors: count("neighbors"), Steps: count("steps"), Momentum: number("momentum"),
		NoMomentum: rapid.Bool().Draw(t, "no momentum"), Tolerance: number("tolerance"), Gain: number("gain"),
		Seed: rapid.Uint64().Draw(t, "seed"), Threads: count("threads"), Lists: count("lists"),
		Search: auto.Settings{Recall: number("recall")}, Coarse: models.Coarse(rapid.IntRange(0, int(models.CoarseAll)).Draw(t, "coarse")),
	}
	f.Frame, f.PriorFrom, f.PriorTo = prior.Frame(rapid.IntRange(0, 5).Draw(t, "frame")), number("prior from"), number("prior to")
	if tails == Gaussian {
		f.Core, f.Level, f.Floor = count("core"), saul.Level(count("level")), number("floor")
		f.Sigma = rapid.SampledFrom([]student.Sigma{student.Fixed, student.Shared}).Draw(t, "sigma")
		f.Components = rapid.SampledFrom([]saul.Components{saul.Connect, saul.Largest}).Draw(t, "components")
		return f
	}
	f.Scales, f.Sigma = student.Scales(rapid.IntRange(0, 1).Draw(t, "scales")), student.Sigma(rapid.IntRange(0, 2).Draw(t, "sigma"))
	f.Tail, f.Weight, f.Theta, f.Thorough = number("tail"), number("weight"), number("theta"), rapid.Bool().Draw(t, "thorough")
	f.Reach, f.FurtherFrom, f.FurtherTo = count("reach"), number("further from"), number("further to")
	f.Density, f.RankDecay, f.Supervision = number("density"), number("rank decay"), number("supervision")
	if f.Sigma2 = number("sigma2"); f.Sigma2 != 0 {
		f.Core, f.Floor = 1, saul.DefaultFloor
	}
	return f
}

// TestFileKeepsSettings: a file becomes settings and then the same file again, for both models and
// as text too.
func TestFileKeepsSettings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFile(t, rapid.SampledFrom([]Tails{Student, Gaussian}).Draw(t, "tails"))
		if got := f.Settings().File(); got != f {
			t.Fatalf("%+v becomes %+v", f, got)
		}
		raw, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		var again File
		if err := json.Unmarshal(raw, &again); err != nil || again != f {
			t.Fatalf("%s is read as %+v, %v", raw, again, err)
		}
	})
}

// TestForeignSettings: a setting of the model that is not chosen is refused by name.
func TestForeignSettings(t *testing.T) {
	for _, c := range []struct {
		name string
		of   Options
	}{
		{"core", Options{Saul: saul.Options{Core: 2}}},
		{"level", Options{Saul: saul.Options{Level: 1}}},
		{"components", Options{Saul: saul.Options{Components: saul.Largest}}},
		{"floor", Options{Saul: saul.Options{Floor: 1e-3}}},
		{"sigma", Options{Saul: saul.Options{Shared: true}}},
		{"coarse", Options{Student: student.Options{Coarse: models.CoarseInput}}},
		{"scales", Options{Tails: Gaussian, Student: student.Options{Scales: student.Unit}}},
		{"sigma", Options{Tails: Gaussian, Student: student.Options{Sigma: student.Free}}},
		{"density", Options{Tails: Gaussian, Student: student.Options{Density: 2}}},
		{"supervision", Options{Tails: Gaussian, Student: student.Options{Supervision: 0.5}}},
		{"supervision", Options{Student: student.Options{Supervision: 2}}},
		{"density", Options{Student: student.Options{Density: 5}}},
		{"density", Options{Student: student.Options{Density: 1, Scales: student.Unit}}},
		{"tail", Options{Tails: Gaussian, Student: student.Options{Tail: 1}}},
		{"weight", Options{Tails: Gaussian, Student: student.Options{Weight: 1}}},
		{"sigma2", Options{Tails: Gaussian, Student: student.Options{Sigma2: 1}}},
		{"theta", Options{Tails: Gaussian, Student: student.Options{Theta: 0.4}}},
		{"thorough", Options{Tails: Gaussian, Student: student.Options{Thorough: true}}},
		{"coarse", Options{Tails: Gaussian, Saul: saul.Options{Coarse: models.CoarseMap}}},
		{"tails", Options{Tails: 2}},
	} {
		var wrong *models.SettingError
		if err := (Settings{Options: c.of}).Check(); !errors.As(err, &wrong) || wrong.Name != c.name {
			t.Errorf("%s, %v tails: got %v", c.name, c.of.Tails, err)
		}
	}
}

// Maps that were learnt with random cells, as version 0.1.0 could, are learnt further with shared
// random points.
func TestFileOfRandomCells(t *testing.T) {
	var f File
	if err := json.Unmarshal([]byte(`{"dims": 5, "coarse": "anchors"}`), &f); err != nil || f.Settings().Student.Coarse != models.CoarseShared {
		t.Errorf("%+v, %v", f.Coarse, err)
	}
	if err := json.Unmarshal([]byte(`{"coarse": "anchor"}`), &f); err == nil {
		t.Error("an unknown word is read")
	}
}
