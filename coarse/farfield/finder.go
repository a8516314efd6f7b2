package farfield

import (
	"cmp"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/simd/median"
	"unfold/internal/vec"
)

// finder finds the nearest of m anchors by walking from anchor to anchor. Anchor b can only be
// nearer to x than g if |g - b| <= 2 |x - g|. Every anchor lists its nearest other anchors, nearest
// first, and the search ends where the list exceeds that bound.
type finder struct {
	m, d, length int
	at           vec.Matrix[float64]
	fellow       []int32   // m x length
	away         []float64 // their distances
	// sites are the anchors, with those at the same position next to each other. The search finds
	// the first of a position, and all of them share its points. site[a] is the index of a in
	// sites; twins[a] is the number of anchors at the position of a, 0 for all but the first.
	sites, site, twins []int32

	key   []float64 // workspace, blocks x m
	order []int32
}

// finderBlock is the number of rows in one task, fellows the length of a list.
const (
	finderBlock = 64
	fellows     = 96
)

func newFinder(m, d int) finder {
	l := min(m, fellows)
	work := par.Pieces(m, finderBlock) * m
	return finder{
		m: m, d: d, length: l, at: vec.New[float64](m, d),
		fellow: make([]int32, m*l), away: make([]float64, m*l),
		sites: make([]int32, m), site: make([]int32, m), twins: make([]int32, m),
		key: make([]float64, work), order: make([]int32, work),
	}
}

// set makes the named points the anchors.
func (f *finder) set(threads int, mu vec.Matrix[float64], anchors []int32) {
	for a, i := range anchors {
		copy(f.at.Row(a), mu.Row(int(i)))
	}
	f.pair()
	par.Ranges(threads, f.m, finderBlock, func(piece, from, to int) {
		key, order := f.key[piece*f.m:(piece+1)*f.m], f.order[piece*f.m:(piece+1)*f.m]
		for a := from; a < to; a++ {
			f.list(a, key, order)
		}
	})
}

// pair groups the anchors with the same position.
func (f *finder) pair() {
	for a := range f.sites {
		f.sites[a] = int32(a)
	}
	slices.SortFunc(f.sites, func(a, b int32) int {
		if c := slices.Compare(f.at.Row(int(a)), f.at.Row(int(b))); c != 0 {
			return c
		}
		return cmp.Compare(a, b)
	})
	first := f.sites[0]
	for s, a := range f.sites {
		f.twins[a] = 0
		if s == 0 || slices.Compare(f.at.Row(int(a)), f.at.Row(int(first))) != 0 {
			first = a
			f.site[a] = int32(s)
		}
		f.twins[first]++
	}
}

// share returns the anchor, among those at a's position, that point i belongs to.
func (f *finder) share(a int, i int32) int32 {
	return f.sites[f.site[a]+i%f.twins[a]]
}

// list computes the list of the anchors nearest to anchor a, including a.
func (f *finder) list(a int, key []float64, order []int32) {
	count := 0
	for b, twins := range f.twins {
		if twins > 0 {
			key[count] = comparable(vec.SquaredDistance(f.at.Row(a), f.at.Row(b)))
			order[count] = int32(b)
			count++
		}
	}
	length := min(f.length, count)
	median.Split(key[:count], order[:count], length)
	median.Sort(key[:length], order[:length])
	for p := range f.length {
		b, away := int32(a), math.Inf(1)
		if p < length {
			b, away = order[p], math.Sqrt(key[p])
		}
		f.fellow[a*f.length+p], f.away[a*f.length+p] = b, away
	}
}

// nearest returns the anchor nearest to x, of equally near ones that with the lowest index. It
// starts at guess, which must be the first at its position.
func (f *finder) nearest(x []float64, guess int) int {
	g := guess
	r := comparable(vec.SquaredDistance(x, f.at.Row(g)))
walk:
	for {
		bound := 2 * (1 + 1e-9) * math.Sqrt(r)
		fellow, away := f.fellow[g*f.length:(g+1)*f.length], f.away[g*f.length:(g+1)*f.length]
		for p, b := range fellow {
			if away[p] > bound {
				return g
			}
			q := comparable(vec.SquaredDistance(x, f.at.Row(int(b))))
			if q < r || q == r && int(b) < g {
				g, r = int(b), q
				continue walk
			}
		}
		if f.length == f.m {
			return g // all were listed
		}
		return f.search(x)
	}
}

// search looks at all anchors.
func (f *finder) search(x []float64) int {
	g, r := 0, math.Inf(1)
	for b := range f.m {
		if q := vec.SquaredDistance(x, f.at.Row(b)); q < r {
			g, r = b, q
		}
	}
	return g
}

// comparable replaces NaN by infinity, so that invalid input gives an invalid result instead of an
// endless search.
func comparable(x float64) float64 {
	if x != x {
		return math.Inf(1)
	}
	return x
}

func (f *finder) bytes() int64 {
	return 8*int64(len(f.at.Data)+len(f.away)+len(f.key)) + 4*int64(len(f.fellow)+len(f.sites)+len(f.site)+len(f.twins)+len(f.order))
}
