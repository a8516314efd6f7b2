package fit

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/ep/labels"
)

// someDigits are the first rows of the cut of MNIST, and their digits.
func someDigits(t *testing.T, rows int) (x vec.Matrix[float32], digit []string) {
	t.Helper()
	read := func(name string, header int) []byte {
		f, err := os.Open(filepath.Join("..", "..", "testdata", "digits", name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		all, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		return all[header:]
	}
	pixels, labels := read("test-images-idx3-ubyte.gz", 16), read("test-labels-idx1-ubyte.gz", 8)
	x = vec.New[float32](rows, len(pixels)/len(labels))
	for i := range x.Data {
		x.Data[i] = float32(pixels[i])
	}
	for _, d := range labels[:rows] {
		digit = append(digit, strconv.Itoa(int(d)))
	}
	return x, digit
}

// Errors of places of the default model are small compared with the distances over which classes
// change: uncertain inputs do not act, and training the classifier spends nothing on them.
func TestPlacesAreSharp(t *testing.T) {
	x, digit := someDigits(t, 300)
	s, r, err := Fit(t.Context(), x, Spec{Common: models.Common{Seed: 1, Steps: 40}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := r.Placed
	at.Seen = vec.Take(s.Reference, r.Row)
	e := labels.EventsAt(at, digit, nil)
	_, did, err := labels.Train(t.Context(), e, nil, labels.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	_, certain, err := labels.Train(t.Context(), e, nil, labels.Settings{Certain: true})
	if err != nil {
		t.Fatal(err)
	}
	if !(did.Blur > 0 && did.Blur < .05) || did.Tried != certain.Tried {
		t.Errorf("nine of ten variances of places are below %g of the squared length scales; %d kernels tried, %d of certain places", did.Blur, did.Tried, certain.Tried)
	}
	t.Logf("blur %.4f, %d kernels tried", did.Blur, did.Tried)
}
