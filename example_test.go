package unfold_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"unfold"
	"unfold/internal/vec"
	"unfold/sparse/gallery"
)

// blobs returns n vectors of eight elements in three groups, and the group of each.
func blobs(n int) (*mat.Dense, []int) {
	x, group := gallery.Blobs(n, 8, 3, 0.2, 1)
	return mat.NewDense(n, 8, x.Data), group
}

// together returns the share of rows whose nearest other row on the map is of their group.
func together(embedding *mat.Dense, group []int) float64 {
	n, _ := embedding.Dims()
	same := 0
	for i := range n {
		best, nearest := math.Inf(1), -1
		for j := range n {
			if d := vec.SquaredDistance(embedding.RawRowView(i), embedding.RawRowView(j)); j != i && d < best {
				best, nearest = d, j
			}
		}
		if group[i] == group[nearest] {
			same++
		}
	}
	return float64(same) / float64(n)
}

func ExampleFit() {
	x, group := blobs(300)
	m, err := unfold.Fit(context.Background(), x, unfold.Options{})
	if err != nil {
		log.Fatal(err)
	}
	r := m.Result()
	n, dims := r.Embedding.Dims()
	fmt.Printf("%d places in %d dimensions after %d iterations\n", n, dims, r.Iterations)
	fmt.Printf("the nearest row is of the same group: %.0f%%\n", 100*together(r.Embedding, group))
	// Output:
	// 300 places in 2 dimensions after 200 iterations
	// the nearest row is of the same group: 100%
}

// Vectors in single precision, as slices of their own.
func ExampleRows() {
	x := make(unfold.Rows, 200)
	for i := range x {
		angle := 2 * math.Pi * float64(i) / 200
		x[i] = []float32{float32(math.Cos(angle)), float32(math.Sin(angle)), 1}
	}
	m, err := unfold.Fit(context.Background(), x, unfold.Options{Kind: unfold.Saul, Dims: 1, Seed: 7})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Kind(), m.Dim(), m.Dims(), m.Len())
	// Output: saul 3 1 200
}

// A sparse matrix, such as word counts: every document is about one of four subjects, each with ten
// words of its own.
func ExampleFit_sparse() {
	r := rand.New(rand.NewPCG(1, 2))
	count := sparse.NewDOK(120, 40)
	for i := range 120 {
		for range 30 {
			word := (i/30)*10 + r.IntN(10)
			count.Set(i, word, count.At(i, word)+1)
		}
	}
	m, err := unfold.Fit(context.Background(), count.ToCSR(), unfold.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Len(), "documents, in", m.Result().Components, "parts")
	// Output: 120 documents, in 4 parts
}

func ExampleMap_Place() {
	x, _ := blobs(300)
	m, err := unfold.Fit(context.Background(), x, unfold.Options{})
	if err != nil {
		log.Fatal(err)
	}
	near, far := x.RawRowView(7), make([]float64, 8)
	for j := range far {
		far[j] = 100
	}
	places, err := m.Place(context.Background(), mat.NewDense(2, 8, append(append([]float64(nil), near...), far...)))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("a row that was learnt has its place:", mat.Equal(places.Embedding.RowView(0), m.Result().Embedding.RowView(7)))
	fmt.Println("a row far from all is as novel as can be:", places.NoveltyGlobal[1])
	// Output:
	// a row that was learnt has its place: true
	// a row far from all is as novel as can be: 1
}

func ExampleMap_Decode() {
	x, _ := blobs(300)
	m, err := unfold.Fit(context.Background(), x, unfold.Options{})
	if err != nil {
		log.Fatal(err)
	}
	at := mat.NewDense(2, 2, append(mat.Row(nil, 7, m.Result().Embedding), 1e4, 1e4))
	vectors, err := m.Decode(context.Background(), at)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("the place of a row decodes to a vector near the row's:", floats.Distance(vectors.X.RawRowView(0), x.RawRowView(7), math.Inf(1)) < 3)
	fmt.Println("a place far from all has a larger error:", vectors.Error[1] > 2*vectors.Error[0])
	// Output:
	// the place of a row decodes to a vector near the row's: true
	// a place far from all has a larger error: true
}

func ExampleMap_Neighbors() {
	x := unfold.Rows{{0, 0}, {1, 0}, {0, 2}, {3, 3}, {5, 1}, {4, 6}, {7, 2}, {2, 8}, {9, 9}, {6, 4}, {8, 1}, {1, 5}}
	m, err := unfold.Fit(context.Background(), x, unfold.Options{Neighbors: 3})
	if err != nil {
		log.Fatal(err)
	}
	near, err := m.Neighbors(context.Background(), unfold.Rows{{0, 0.5}}, 3)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(near.Point)
	fmt.Printf("%.3f\n", near.Distance)
	// Output:
	// [[0 1 2]]
	// [[0.500 1.118 1.500]]
}

func ExampleMap_Graph() {
	x, _ := blobs(300)
	m, err := unfold.Fit(context.Background(), x, unfold.Options{Neighbors: 5})
	if err != nil {
		log.Fatal(err)
	}
	g, err := m.Graph(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	n, _ := g.Dims()
	fmt.Println(n, "points,", g.NNZ(), "edges")
	g.DoRowNonZero(0, func(_, j int, distance float64) {
		if distance <= 0 {
			fmt.Println("point", j, "equals point 0")
		}
	})
	// Output: 300 points, 1500 edges
}

func ExampleMap_Save() {
	x, _ := blobs(200)
	m, err := unfold.Fit(context.Background(), x, unfold.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer // os.Create("map.unfold"), which `unfold embed -m map.unfold` reads, too
	if err := m.Save(&file); err != nil {
		log.Fatal(err)
	}
	again, err := unfold.Open(&file)
	if err != nil {
		log.Fatal(err)
	}
	before, err := m.Place(context.Background(), x)
	if err != nil {
		log.Fatal(err)
	}
	after, err := again.Place(context.Background(), x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("the same places:", mat.Equal(before.Embedding, after.Embedding))
	// Output: the same places: true
}

func ExampleOpen() {
	_, err := unfold.Open(bytes.NewReader([]byte("id,x,y\n")))
	fmt.Println(errors.Is(err, unfold.ErrBadInput))
	// Output: true
}

func ExampleMap_Refresh() {
	ctx := context.Background()
	x, _ := blobs(1020)
	m, err := unfold.Fit(ctx, x.Slice(0, 1000, 0, 8), unfold.Options{})
	if err != nil {
		log.Fatal(err)
	}
	ids, err := m.Insert(ctx, x.Slice(1000, 1020, 0, 8))
	if err != nil {
		log.Fatal(err)
	}
	if err := m.Delete(ctx, []int{0, 1, 2}); err != nil {
		log.Fatal(err)
	}
	r, err := m.Refresh(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("points %d to %d are new\n", ids[0], ids[19])
	fmt.Printf("%s refresh: %d points, %d came, %d went\n", r.Kind, r.Points, r.Born, r.Gone)
	fmt.Printf("those that stayed hardly moved: %t\n", r.Median < 1)
	// Output:
	// points 1000 to 1019 are new
	// ordinary refresh: 1017 points, 20 came, 3 went
	// those that stayed hardly moved: true
}

func ExampleMap_Insert() {
	ctx := context.Background()
	x, _ := blobs(100)
	m, err := unfold.Fit(ctx, x, unfold.Options{})
	if err != nil {
		log.Fatal(err)
	}
	same, err := m.Insert(ctx, x.Slice(41, 42, 0, 8))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("an equal row is the same point:", same[0])
	_, err = m.Insert(ctx, unfold.Rows{{1, 2, 3, 4, 5, 6, 7, float32(math.NaN())}})
	var row *unfold.RowError
	fmt.Println(errors.As(err, &row) && errors.Is(err, unfold.ErrBadInput), row.Row, row.Column)
	// Output:
	// an equal row is the same point: 41
	// true 0 7
}

func ExampleMap_Delete() {
	ctx := context.Background()
	x, _ := blobs(100)
	m, err := unfold.Fit(ctx, x, unfold.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := m.Delete(ctx, []int{5, 17}); err != nil {
		log.Fatal(err)
	}
	if _, err := m.Refresh(ctx); err != nil {
		log.Fatal(err)
	}
	ids, err := m.Insert(ctx, x.Slice(17, 18, 0, 8))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Len(), "points; the next one is number", ids[0])
	// Output: 98 points; the next one is number 5
}
