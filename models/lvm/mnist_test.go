package lvm_test

import (
	"compress/gzip"
	"context"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"unfold/models/baseline"
	"unfold/models/lvm"
	"unfold/sparse/knn"
	"unfold/sparse/vec"
)

// idx returns the bytes of an IDX file and its shape.
func idx(t testing.TB, path string) ([]byte, []int) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	shape := make([]int, raw[3])
	for k := range shape {
		shape[k] = int(binary.BigEndian.Uint32(raw[4+4*k:]))
	}
	return raw[4+4*len(shape):], shape
}

// mnist returns all 70,000 digits, the 60,000 training digits first, projected
// to q dimensions, and their labels. It skips the test without UNFOLD_DATA.
func mnist(t testing.TB, q int) (vec.Matrix[float32], []byte) {
	t.Helper()
	dir := os.Getenv("UNFOLD_DATA")
	if dir == "" {
		t.Skip("UNFOLD_DATA is not set: it names a folder with mnist/train-images-idx3-ubyte.gz and its like")
	}
	x, labels := vec.New[float32](70_000, 784), []byte(nil)
	at := 0
	for _, name := range []string{"train", "t10k"} {
		pixels, _ := idx(t, filepath.Join(dir, "mnist", name+"-images-idx3-ubyte.gz"))
		for _, p := range pixels {
			x.Data[at] = float32(p)
			at++
		}
		l, _ := idx(t, filepath.Join(dir, "mnist", name+"-labels-idx1-ubyte.gz"))
		labels = append(labels, l...)
	}
	p, err := baseline.Fit(context.Background(), x, q, baseline.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return p.Projector().Apply(x, 0), labels
}

// places returns the place of every row.
func places(r *lvm.Result) vec.Matrix[float32] {
	return vec.Take(vec.Convert[float32](r.Mu), r.Of)
}

// vote returns the most frequent label of the first k neighbours, of equally
// frequent ones that with the nearest member.
func vote(index []int32, labels []byte, k int) byte {
	var count [256]int
	best := labels[index[0]]
	for _, j := range index[:k] {
		count[labels[j]]++
	}
	for _, j := range index[:k] {
		if count[labels[j]] > count[best] {
			best = labels[j]
		}
	}
	return best
}

// leaveOneOut returns the accuracy of k nearest neighbours on the map.
func leaveOneOut(t testing.TB, x vec.Matrix[float32], labels []byte, ks ...int) []float64 {
	t.Helper()
	nb, err := knn.Graph(context.Background(), x, ks[len(ks)-1], knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	right := make([]float64, len(ks))
	for i := range x.Rows {
		index, _ := nb.Row(i)
		for q, k := range ks {
			if vote(index, labels, k) == labels[i] {
				right[q] += 1 / float64(x.Rows)
			}
		}
	}
	return right
}

// testError returns the 9-NN error of the last 10,000 rows by the first 60,000.
func testError(t testing.TB, x vec.Matrix[float32], labels []byte) float64 {
	t.Helper()
	nb, err := knn.NewExact(x.Slice(0, 60_000)).Search(context.Background(), x.Slice(60_000, 70_000), 9, knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0.0
	for i := range nb.N {
		index, _ := nb.Row(i)
		if vote(index, labels, 9) != labels[60_000+i] {
			wrong++
		}
	}
	return wrong / float64(nb.N)
}

// TestMNIST holds the published quality on all of MNIST: 400 steps in two
// dimensions, and in ten (s = 2) 150, where the test error no longer changes
// (150 steps 2.47%, 400 steps 2.46%).
func TestMNIST(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("takes minutes: not with -short or -race")
	}
	x, labels := mnist(t, 50)
	t.Run("d=2", func(t *testing.T) {
		clock := time.Now()
		r, err := lvm.Fit(context.Background(), x, lvm.Settings{Level: 1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%.1f s: %+v", time.Since(clock).Seconds(), r.Report)
		if l := r.Report.LoglikInitial; l < -1_560_000 || l > -1_530_000 {
			t.Errorf("log-likelihood starts at %.0f, want about -1,546,000", l)
		}
		if l := r.Report.Loglik; l < -231_400*1.03 || l > -231_400*.97 {
			t.Errorf("log-likelihood ends at %.0f, want -231,400 within 3%%", l)
		}
		a := leaveOneOut(t, places(r), labels, 1, 9)
		t.Logf("leave-one-out accuracy: 1-NN %.4f, 9-NN %.4f", a[0], a[1])
		if a[0] < .93 || a[1] < .955 {
			t.Errorf("accuracies %.4f and %.4f, want at least 0.93 and 0.955", a[0], a[1])
		}
	})
	t.Run("d=10", func(t *testing.T) {
		r, err := lvm.Fit(context.Background(), x, lvm.Settings{Level: 1, Dims: 10, Core: 2, Steps: 150}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v", r.Report)
		e := testError(t, places(r), labels)
		t.Logf("9-NN test error of the joint map: %.4f", e)
		if e > .026 {
			t.Errorf("test error %.4f, want at most 0.026", e)
		}
	})
}
