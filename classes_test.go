package unfold_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"unfold"
)

// A GPLVM with labels learns one latent space of rows and labels, as the command does. It predicts
// classes and their probabilities, also of rows with missing values and from its file.
func TestClasses(t *testing.T) {
	x := cloud(120, 5, 6)
	labels, truth := make([]string, len(x)), make([]string, len(x))
	for i := range x {
		truth[i] = []string{"a", "b"}[i%2]
		for c := range x[i] {
			x[i][c] += float32(4 * (i % 2))
		}
		if i%3 > 0 {
			labels[i] = truth[i]
		}
	}
	m := fitted(t, x[:90], unfold.Options{Kind: unfold.GPLVM, Steps: 20, Labels: labels[:90], GPLVM: unfold.GPLVMOptions{Points: 60, Supervision: 1}})
	classes, err := m.Classifier()
	if err != nil {
		t.Fatal(err)
	}
	got, err := classes.Predict(t.Context(), x[90:])
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for i, name := range got.Name {
		if name == truth[90+i] {
			right++
		}
		p, q := got.Probability.At(i, 0), got.Probability.At(i, 1)
		if h := -p*math.Log(p) - q*math.Log(q); math.Abs(p+q-1) > 1e-5 || math.Abs(h-got.Entropy[i]) > 1e-5 || (p > q) != (name == "a") {
			t.Errorf("row %d: class %s of %g and %g, entropy %g", i, name, p, q, got.Entropy[i])
		}
	}
	if right < 28 || !slices.Equal(classes.Names, []string{"a", "b"}) {
		t.Errorf("%d of 30 classes are right, classes %v", right, classes.Names)
	}
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		t.Fatal(err)
	}
	again, err := unfold.Open(&file)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := again.Classifier()
	if err != nil {
		t.Fatal(err)
	}
	if from, err := opened.Predict(t.Context(), x[90:]); err != nil || !slices.Equal(from.Probability.RawMatrix().Data, got.Probability.RawMatrix().Data) {
		t.Errorf("the file predicts otherwise, %v", err)
	}
	holed := slices.Clone(x[91])
	holed[2] = float32(math.NaN())
	if one, err := classes.Predict(t.Context(), unfold.Rows{holed}); err != nil || one.Name[0] != "b" {
		t.Errorf("a row with a missing value: %+v, %v", one, err)
	}
	if none, err := classes.Predict(t.Context(), unfold.Rows{}); err != nil || len(none.Name) != 0 {
		t.Errorf("no rows: %v", err)
	}
	plain := fitted(t, x[:90], unfold.Options{Steps: 5})
	if _, err := plain.Classifier(); !errors.Is(err, unfold.ErrBadInput) {
		t.Errorf("a map without classes: %v", err)
	}
}
