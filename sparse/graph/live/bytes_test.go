package live

import (
	"context"
	"math"
	"testing"

	"unfold/sparse/knn/knntest"
)

// While points are inserted and deleted, the graph takes at most its bound of memory in addition to
// the rows.
func TestBytes(t *testing.T) {
	const n, dim, batch, bound = 12000, 50, 500, 1024
	x := knntest.Points[float32]("gauss", n, dim, 1)
	g := newGraph(t, dim, Settings{Parts: All})
	ctx := context.Background()
	most := math.Inf(-1)
	for from := 0; from < n; from += batch {
		slots, err := g.Insert(ctx, x.Slice(from, from+batch))
		if err != nil {
			t.Fatal(err)
		}
		if from%(2*batch) == 0 && from > 0 {
			if err := g.Delete(ctx, slots[:batch/5]); err != nil {
				t.Fatal(err)
			}
		}
		if from >= n/4 {
			most = max(most, float64(g.Bytes())/float64(g.Len())-4*dim)
		}
	}
	if most > bound {
		t.Fatalf("%.0f bytes a point beyond its row, want at most %d", most, bound)
	}
	t.Logf("%.0f bytes a point beyond its row", most)
}
