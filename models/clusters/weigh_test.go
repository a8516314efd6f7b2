package clusters_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models/clusters"
)

// TestWeigh: equal weights select the same clusters. A larger weight for a cluster of the tree
// selects it instead of those inside and around it.
func TestWeigh(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x := vec.New[float64](1200, 2)
	for i := range x.Rows {
		group := i % 6
		x.Row(i)[0] = r.NormFloat64() + 7*float64(group%2) + 60*float64(group/2%2)
		x.Row(i)[1] = r.NormFloat64() + 30*float64(group/4)
	}
	c, err := clusters.Find(context.Background(), x, clusters.Settings{MinSize: 30})
	if err != nil {
		t.Fatal(err)
	}
	weight := slices.Repeat([]float64{1}, len(c.Tree.Parent))
	if again := c.Weigh(weight); !reflect.DeepEqual(again, c) {
		t.Error("equal weights choose otherwise")
	}
	for v := 1; v < len(weight); v++ {
		weight[v] = 1e9
		heavy := c.Weigh(weight)
		weight[v] = 1
		if !slices.Contains(heavy.Size, int(c.Tree.Size[v])) {
			t.Errorf("cluster %d of %d points is not chosen: sizes %v", v, c.Tree.Size[v], heavy.Size)
		}
	}
	if len(weight) < 6 {
		t.Errorf("the tree has %d clusters: it tests nothing", len(weight))
	}
}
