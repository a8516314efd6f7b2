package labels

import (
	"context"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse/knn"
	"unfold/sparse/knn/ivf"
)

// listed is the number of labelled neighbours that are found, and recall the share of true
// neighbours if there are many events.
const (
	listed = 24
	recall = 0.97
)

// voters are labelled events, the nearest of which vote on an event's class.
type voters struct {
	x     vec.Matrix[float32]
	class []int32
	index knn.Index
}

// newVoters returns voters at the rows of x, which must be finite.
func newVoters(ctx context.Context, x vec.Matrix[float32], class []int32, threads int) (*voters, error) {
	quick, err := ivf.New(ctx, x, ivf.Settings{K: listed + 1, Recall: recall, Threads: threads})
	if quick == nil || err != nil {
		return &voters{x, class, knn.NewExact(x)}, err
	}
	return &voters{x, class, quick}, nil
}

// near are the neighbours that vote on events, the same number for each.
type near struct {
	*knn.Neighbors
	class []int32 // of the voters
}

// find returns the nearest voters of the rows of q. If own is not nil, it is the index of each row
// among the voters, or -1, and the row does not vote for itself.
func (v *voters) find(ctx context.Context, q vec.Matrix[float32], own []int32, threads int) (near, error) {
	k := min(listed, v.x.Rows)
	if own == nil {
		n, err := v.index.Search(ctx, q, k, knn.Settings{Threads: threads})
		return near{n, v.class}, err
	}
	k = max(1, min(listed, v.x.Rows-1)) // a single voter has no other
	all, err := v.index.Search(ctx, q, min(k+1, v.x.Rows), knn.Settings{Threads: threads})
	if err != nil {
		return near{}, err
	}
	out := knn.NewNeighbors(q.Rows, k)
	for i := range q.Rows {
		index, dist2 := all.Row(i)
		to, length := out.Row(i)
		at := 0
		for j, voter := range index {
			if (voter != own[i] || all.K == 1) && at < k {
				to[at], length[at] = voter, dist2[j]
				at++
			}
		}
	}
	return near{out, v.class}, nil
}

// others returns the nearest other voters of the first n voters. There must be at least two.
func (v *voters) others(ctx context.Context, n, threads int) (near, error) {
	own := make([]int32, n)
	for i := range own {
		own[i] = int32(i)
	}
	return v.find(ctx, v.x.Slice(0, n), own, threads)
}

// poll are the parameters of counting votes. Each of the nearest K voters has the weight
//
//	exp(-Sharp (d^2 - d_1^2)/mean d^2),
//
// where d_1 is the distance of the nearest, and the mean is over the K voters. The prior has the
// weight of Smooth events.
type poll struct {
	K      int     `json:"k"`
	Sharp  float64 `json:"sharp"`
	Smooth float64 `json:"smooth"`
}

// broad is the poll that is always used in addition to the chosen one.
var broad = poll{K: listed, Smooth: 1}

// polls returns the candidate polls.
func polls() (out []poll) {
	for _, k := range []int{3, 5, 9, 15, listed} {
		for _, sharp := range []float64{0, 1, 3, 8, 20} {
			for _, smooth := range []float64{.05, .2, 1} {
				out = append(out, poll{k, sharp, smooth})
			}
		}
	}
	return out
}

// count writes the logarithms of the vote shares for event i.
func (p poll) count(dst []float64, n near, i int, prior []float64) {
	index, dist2 := n.Row(i)
	k := min(p.K, len(index))
	mean := 0.0
	for _, d := range dist2[:k] {
		mean += d / float64(k)
	}
	sum := p.Smooth
	for c, v := range prior {
		dst[c] = p.Smooth * v
	}
	for j, voter := range index[:k] {
		w := 1.0
		if more := dist2[j] - dist2[0]; more > 0 {
			w = math.Exp(-p.Sharp * more / mean)
		}
		dst[n.class[voter]] += w
		sum += w
	}
	for c, v := range dst {
		dst[c] = math.Log(v / sum)
	}
}

// choose returns the poll with the best log score on events.
func choose(n near, class []int32, prior []float64, threads int) (best poll) {
	all := polls()
	sums := make([]float64, len(all))
	par.Do(threads, len(all), func(a int) {
		row := make([]float64, len(prior))
		for i := range n.N {
			all[a].count(row, n, i, prior)
			sums[a] += row[class[i]]
		}
	})
	return all[slices.Index(sums, slices.Max(sums))]
}

// nearest is the number of neighbours from which the distance of an event is computed.
const nearest = 5

// distance returns the mean distance of event i from its nearest voters.
func (n near) distance(i int) (mean float64) {
	_, dist2 := n.Row(i)
	dist2 = dist2[:min(nearest, len(dist2))]
	for _, d := range dist2 {
		mean += math.Sqrt(d) / float64(len(dist2))
	}
	return mean
}
