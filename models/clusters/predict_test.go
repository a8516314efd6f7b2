package clusters

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/sparse/distance"
)

// TestShares: shares add up to 1, and the largest is that of the label. Points close to one of the
// reference's clusters have their largest share there.
func TestShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, dim := rapid.IntRange(2, 60).Draw(t, "n"), rapid.IntRange(1, 3).Draw(t, "dim")
		random := rand.New(rand.NewPCG(5, rapid.Uint64().Draw(t, "seed")))
		groups := rapid.IntRange(1, 4).Draw(t, "groups")
		draw := func(n int) vec.Matrix[float32] {
			x := vec.New[float32](n, dim)
			for i := range x.Data {
				x.Data[i] = float32(i/dim%groups*6) + float32(random.IntN(50))/10
			}
			return x
		}
		x, q := draw(n), draw(30)
		c, err := Find(t.Context(), x, Settings{MinSize: rapid.IntRange(2, 8).Draw(t, "min size"), MinSamples: rapid.IntRange(1, 4).Draw(t, "m"),
			Selection: rapid.SampledFrom([]Selection{ExcessOfMass, Leaf}).Draw(t, "selection"), Epsilon: rapid.SampledFrom([]float64{0, 1}).Draw(t, "epsilon")})
		if err != nil {
			t.Fatal(err)
		}
		m, err := NewPredictor(c, x).Predict(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for i, label := range m.Label {
			shares := m.Shares(nil, i)
			if len(shares) != c.Count()+1 {
				t.Fatalf("%d shares of %d clusters and noise", len(shares), c.Count())
			}
			sum, own := 0.0, shares[len(shares)-1]
			if label >= 0 {
				own = shares[label]
			}
			for k, s := range shares {
				if !(s >= 0 && s <= own) {
					t.Fatalf("point %d of cluster %d has the share %v of %d, and %v of its own", i, label, s, k, own)
				}
				sum += s
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Fatalf("the shares of point %d add up to %v", i, sum)
			}
			if o := m.Outlier[i]; !(o >= 0 && o <= 1) {
				t.Fatalf("point %d has the outlier score %v", i, o)
			}
		}
	})
}

// TestSharesBetween: a point that moves from one cluster to another and then away from both belongs
// mostly to the first, then to the second, then to noise.
func TestSharesBetween(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	x := vec.New[float64](200, 2)
	for i := range x.Rows {
		x.Row(i)[0], x.Row(i)[1] = float64(i%2*10)+random.NormFloat64(), random.NormFloat64()
	}
	c, err := Find(t.Context(), x, Settings{MinSize: 10})
	if err != nil || c.Count() != 2 {
		t.Fatalf("%d clusters, %v", c.Count(), err)
	}
	first, second := c.Label[0], c.Label[1]
	q := vec.Of(6, 2, []float64{0, 0, 10, 0, 10, 1, 10, 12, 10, 50, 10, 500})
	m, err := NewPredictor(c, x).Predict(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Label, []int32{first, second, second, Noise, Noise, Noise}) {
		t.Fatalf("labels %v", m.Label)
	}
	for i := range q.Rows {
		t.Log(m.Shares(nil, i), m.Outlier[i])
		if i > 1 && !(m.Outlier[i] > m.Outlier[i-1]) {
			t.Errorf("point %d has the outlier score %v, and the one before %v", i, m.Outlier[i], m.Outlier[i-1])
		}
		if i > 1 && !(m.Shares(nil, i)[2] > m.Shares(nil, i-1)[2]) {
			t.Errorf("point %d is noise by %v, and the one before by %v", i, m.Shares(nil, i)[2], m.Shares(nil, i-1)[2])
		}
	}
	if s := m.Shares(nil, 0); s[first] < .8 {
		t.Errorf("a point in the middle of a cluster has shares %v", s)
	}
}

// BenchmarkPredict predicts one event at a time, with all shares, on a map of 100,000 points.
func BenchmarkPredict(b *testing.B) {
	random := rand.New(rand.NewPCG(7, 7))
	x := vec.New[float32](100_000, 2)
	for i := range x.Rows {
		x.Row(i)[0], x.Row(i)[1] = float32(i%10*20)+float32(random.NormFloat64()), float32(i/10%10*20)+float32(random.NormFloat64())
	}
	c, err := Find(b.Context(), x, Settings{})
	if err != nil {
		b.Fatal(err)
	}
	p := NewPredictor(c, x)
	var shares []float64
	for i := 0; b.Loop(); i++ {
		m, err := p.Predict(b.Context(), x.Slice(i%x.Rows, i%x.Rows+1))
		if err != nil {
			b.Fatal(err)
		}
		shares = m.Shares(shares[:0], 0)
	}
	b.ReportMetric(float64(c.Count()), "clusters")
}

// Rows of many columns are searched in single precision. The points that new ones join are those of
// an exact search, also for rows in double precision that lie far from the origin and close together.
func TestPredictManyColumns(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	draw := func(n int) vec.Matrix[float64] {
		x := vec.New[float64](n, 30)
		for i := range x.Data {
			x.Data[i] = 1e6 + float64(i/30%3)/10 + random.NormFloat64()/100
		}
		return x
	}
	x, q := draw(90), draw(40)
	c, err := Find(t.Context(), x, Settings{MinSize: 5})
	if err != nil || c.Count() != 3 {
		t.Fatalf("%d clusters, %v", c.Count(), err)
	}
	p := NewPredictor(c, x)
	if p.index == nil {
		t.Fatal("30 columns are not searched by an index")
	}
	point, lambda, err := p.join(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	exact := *p
	exact.index, exact.boxes = nil, newBoxes(c.set.Distance, x, make([]float64, x.Rows), 1)
	want, at, err := exact.join(t.Context(), q)
	if err != nil || !slices.Equal(point, want) || !slices.Equal(lambda, at) {
		t.Errorf("new points join %v, want %v, %v", point, want, err)
	}
}

// Rows are not centred for distances that this would change.
func TestPredictManyColumnsByAbsoluteDistances(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	draw := func(n int) vec.Matrix[float64] {
		x := vec.New[float64](n, 30)
		for i := range x.Data {
			x.Data[i] = float64(1+i/30%3) * (1 + random.Float64())
		}
		return x
	}
	x, q := draw(90), draw(40)
	for _, d := range []distance.Distance{distance.Canberra, distance.BrayCurtis} {
		c, err := Find(t.Context(), x, Settings{MinSize: 5, Distance: d})
		if err != nil {
			t.Fatal(err)
		}
		p := NewPredictor(c, x)
		if p.index == nil {
			t.Fatalf("30 columns are not searched by an index, with %v", d)
		}
		point, lambda, err := p.join(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		exact := *p
		exact.index, exact.boxes = nil, newBoxes(d, x, make([]float64, x.Rows), 1)
		want, at, err := exact.join(t.Context(), q)
		if err != nil || !slices.Equal(point, want) || !slices.Equal(lambda, at) {
			t.Errorf("%v: new points join %v, want %v, %v", d, point, want, err)
		}
	}
}
