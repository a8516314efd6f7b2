package budget

import (
	"math"
	"math/bits"
	"runtime/debug"

	"unfold/models"
	"unfold/models/fit"
	"unfold/models/lvm"
	"unfold/models/pca"
	"unfold/models/score"
	"unfold/models/student"
	"unfold/sparse/knn/auto"
)

// growthPercent is the growth of the heap between collections under Collect. slack is the share of
// garbage in Plan.Bytes. It is smaller in plans of at least largeBytes, where stages return freed
// memory (Plan.Returning).
const (
	growthPercent = 10
	slack         = 0.12
	largeSlack    = 0.02
	largeBytes    = 512 << 20
)

// Collect makes the garbage collector run often enough for Plan.Bytes to be right. A limit other
// than 0 makes it run more often before the process exceeds that limit, in bytes. It changes the
// whole process; the returned function undoes it.
func Collect(limit int64) (undo func()) {
	percent := debug.SetGCPercent(growthPercent)
	before := debug.SetMemoryLimit(-1)
	if limit > 0 {
		// The runtime's limit does not include the pages of the program itself.
		debug.SetMemoryLimit(min(before, max(limit-program, limit/2)))
	}
	return func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(before)
	}
}

// Large reports whether the plan is large enough that returning freed memory to the system is worth
// the time.
func (p *Plan) Large() bool {
	for _, s := range p.Stages {
		if s.Bytes >= largeBytes {
			return true
		}
	}
	return false
}

// Returning wraps next, the progress function of a fit, as Plan.Bytes assumes: between the stages
// of a large plan, or of a tight job, it returns freed memory to the system.
func (p *Plan) Returning(next models.Progress) models.Progress {
	if !p.Large() && !p.Tight {
		return next
	}
	last := ""
	return func(stage string, done, total int) {
		if stage != last || done == total {
			debug.FreeOSMemory()
		}
		last = stage
		next(stage, done, total)
	}
}

// program is the approximate size of the program's own pages.
const program = 24 << 20

// mutual returns the number of entries of a symmetric matrix of nearest-neighbour edges, relative
// to twice the number of edges. Two points that are each other's neighbours share an entry. It is
// 0.6 in the plane and grows with the dimensions, where fewer edges are mutual.
func mutual(dim int) float64 {
	return 0.6 + 0.25*min(1, math.Log(max(1, float64(dim)/2))/math.Log(25))
}

// grown is the usual capacity of a list that grew by appending, relative to its length.
const grown = 1.25

// stages computes the memory of every stage of the fit.
func (p *Plan) stages() {
	p.Stages = nil
	add := func(name string, perRow, rest float64) {
		s := Stage{Name: name, Bytes: int64(perRow*float64(p.Rows) + rest)}
		if p.SetsAside() && p.readsInput(name) {
			s.File = 4 * int64(p.Rows) * int64(p.Dim)
		}
		p.Stages = append(p.Stages, s)
	}
	threads := float64(p.threads())
	kept := float64(p.Kept)
	input := p.input()
	seen := 4 * float64(p.Seen)
	lists := 12 * float64(p.Lists)
	// used and unused are the bytes of the projected vectors in stages that use them and in others;
	// beside is the rest of the input; compared is the input that a report compares the map with.
	used, unused, beside, compared := seen, seen, 0., input
	switch {
	case p.Entries > 0:
		beside = p.sparse(add)
		compared = seen + beside
	case p.Spec.PCA > 0:
		add("read", input+kept, 0)
		add("pca", input+seen+kept, p.covariance())
		if p.Scored && !p.SetsAside() {
			beside = input
		}
	default:
		add("read", input+kept, 0)
		if p.SetsAside() {
			unused = 0
		}
	}
	held := beside + kept
	classes := 4 * (2 + 2*grown) // of, unique, count, next
	add("collapse", used+held+classes, p.hashes())
	held += 4 * (1 + 2*grown)
	search := p.search()
	graph := float64(search.GraphBytes(p.Rows, p.Seen, p.Lists))
	switch {
	case p.Entries > 0: // before they were projected
	case p.Search == auto.Exact:
		add("knn", used+held, graph)
	default:
		add("knn", unused+held, graph)
	}
	held += lists
	if p.Spec.LVM.Tails == lvm.Gaussian {
		p.gaussian(used+held, add)
	} else {
		p.student(used, unused, held, lists, add)
	}
	d := float64(p.Spec.Dims)
	placed := 4*d + 12
	// The terms are positions, variances, scales and errors; the tables and each point's own
	// scores.
	learnt := 8*d + 24 + 32 + 48 + placed
	add("novelty", unused+held+learnt, 0)
	held -= lists
	index := float64(search.IndexBytes(p.Rows, p.Seen, p.reach()))
	unread, build := used, float64(search.BuildBytes(p.Rows, p.Seen, p.reach(), p.Lists))
	if p.SetsAside() && build > 0 { // from lists; rows are released while they are copied
		unread = unused + (used-unused)/auto.BuildParts
	}
	add("index", unread+held+learnt, index+build)
	if p.Clusters > 0 {
		add("clusters", unused+held+learnt+float64(p.Clusters), index)
	}
	add("write", unused+held+learnt, index)
	if p.Scored {
		// The model is already written and released. The terms are norms, and the choice of the
		// points; for every thread the distances of some points to all others in the data and of
		// one on the map.
		some := float64(score.TaskRows(p.Rows))
		add("structure", compared+kept+8*d+24+32+placed+8+8+threads*(8*some+8), 0)
	}
}

// readsInput reports whether a stage reads the input itself rather than its projection.
func (p *Plan) readsInput(stage string) bool {
	switch stage {
	case "read", "pca", "structure":
		return true
	case "knn":
		return p.Spec.PCA <= 0 && p.Search == auto.Exact
	case "em":
		return p.Spec.PCA <= 0 && p.Spec.LVM.Tails == lvm.Gaussian
	case "novelty", "clusters", "write":
		return false
	}
	return p.Spec.PCA <= 0
}

// other adds the stages of another kind of model, whose learning needs the given bytes besides
// vectors and lists.
func (p *Plan) other(learning int64) {
	held := p.input() + 4*float64(p.Seen) + float64(p.Kept) + 12*float64(p.Lists) + 4*(1+2*grown)
	at := int64(held * float64(p.Rows))
	d := float64(p.Spec.Dims)
	p.Stages = []Stage{
		{Name: "read", Bytes: int64((p.input() + float64(p.Kept)) * float64(p.Rows))},
		{Name: "em", Bytes: at + learning},
		{Name: "novelty", Bytes: at + int64((8*d+24+32+48+4*d+12+float64(p.Clusters))*float64(p.Rows))},
	}
}

// covariance returns the memory of the projection, or of the choice of its components before.
func (p *Plan) covariance() float64 {
	held := pca.Bytes(p.Rows, p.Dim, p.Spec.PCA)
	if p.Fewer {
		held = max(held, fit.ChoiceBytes(p.Rows, p.Dim))
	}
	return float64(held)
}

// hashes returns the size of the table that finds equal rows. Slots have 16 bytes plus a control
// byte; their number is a power of two, at most 7/8 full.
func (p *Plan) hashes() float64 {
	return 17 * math.Pow(2, float64(bits.Len(uint(p.Rows)*8/7)))
}

// student adds the stages with heavy tails. held is the memory that all of them need, besides the
// vectors in stages that use them and in others; lists is the part of held for neighbour lists.
func (p *Plan) student(used, unused, held, lists float64, add func(name string, perRow, rest float64)) {
	further, reach := p.Spec.Latent().ForStudent().FurtherEdges(p.Rows)
	d := float64(p.Spec.Dims)
	entries := entries(p.Seen, p.Neighbors, further, reach)
	problem := problemBytes(p.Rows, p.Seen, p.Neighbors, further, reach) / float64(p.Rows)
	// These are the bytes of the matrix after the lists: its columns, lists of further edges and
	// the numbers of weights. Before that, there are the near edges and their lengths; after it,
	// where lists are set aside, these twice.
	more, aside := 4+12*float64(further), 0.
	if student.NumberBytes(p.Neighbors) == 1 {
		more += 4 * entries
	}
	if p.SetsListsAside() {
		aside = lists - 8 // the distances of the last stay
	}
	// These are the order of the points and its inverse.
	ordered := 4. * 2
	add("graph", held+max(used+problem+more+ordered, unused+problem+aside+ordered, used+(12+8+8)*float64(p.Neighbors)), 0)
	field := fieldBytes(p.Coarse, p.Rows, p.Spec.Dims) / float64(p.Rows)
	state := 8*d + 8
	frame := 8*d + 4
	average := 0.
	if p.Coarse == models.CoarseShared {
		average = 8 * d
	}
	statistics := 8. * 5
	if p.Spec.LVM.Student.Sigma != student.Fixed {
		statistics += 8 * 2
	}
	system := 8*entries + (3*8*d + statistics) + (3*8*d + 8)
	if student.SingleSystem(p.Rows, p.Spec.Dims) {
		width := 2 * math.Ceil(d/2) // of a row of the solver's four vectors
		system = 4*entries + (3*8*d + statistics) + (4*4*width + 4)
	}
	// The start needs the components of the vectors; or the vectors of a sample, and then all
	// memory of learning it.
	start := used + 4*d
	if m := p.sample(); m > 0 {
		share := float64(m) / float64(p.Rows)
		taken := share * 4 * float64(p.Seen)
		start = max(used+taken, unused+taken+share*(held+problem+field+state+frame+system))
	}
	add("spectral", held+problem+start+state+frame, 0)
	add("em", unused+held-aside+problem+field+state+frame+system+average+ordered/2, float64(p.threads())*sweepBytes)
}

// sweepBytes is a thread's memory for the groups that push a leaf's points, measured in the plane.
const sweepBytes = 90e3

// problemBytes returns the bytes of the constants (student.Problem.Bytes) for n points of dim
// values, with edges to k neighbours and further ones up to rank reach. An entry has its column,
// its length and the number of its weight.
func problemBytes(n, dim, k, further, reach int) float64 {
	entry := 4 + student.LengthBytes(n) + student.NumberBytes(k)
	return float64(n) * (8 + entries(dim, k, further, reach)*float64(entry) + 8)
}

// entries returns the number of entries for each point in the symmetric matrix of edges, for points
// of dim values. There are edges to k neighbours and further ones at ranks in equal ratios up to
// reach. The density of m such ranks at rank r is m / (r log(reach/k)). Its average over them is
//
//	m (1/k - 1/reach) / log^2(reach/k),
//
// which is the probability, or slightly above it, that the other point's list has the edge as well.
func entries(dim, k, further, reach int) float64 {
	own := float64(further)
	if further > 0 {
		ratio := math.Log(float64(reach) / float64(k))
		own *= 1 - min(1, own*(1/float64(k)-1/float64(reach))/(ratio*ratio))/2
	}
	return 2 * (float64(k)*mutual(dim) + own)
}

// fieldBytes returns the memory of the repulsion field of n points in d dimensions: see package
// farfield.
func fieldBytes(c models.Coarse, n, dims int) float64 {
	d, rows := float64(dims), float64(n)
	columns := 8 * (d + 2)
	switch c {
	case models.CoarseAll:
		return rows * (columns + 12)
	case models.CoarseShared:
		return (rows+400)*columns + rows*(4+4./64) + 8*400
	}
	// Cells need the points and a copy. The tree's smallest nodes have at most 24 points; every
	// node has moments, stand-ins (two tables, padded to fours), a box and a gate. Every leaf has a
	// list, and nodes above need as many again.
	nodes, leaves := 2*parts(n, 24), parts(n, 64)
	moments := (d + 2) + (d+2)*(d+3)/2
	fours := func(count float64) float64 { return 4 * math.Ceil(count/4) }
	standins := (d+2)*(fours(d+1)+fours(d+2)) + 1
	return rows*(8+2*columns) + nodes*8*(moments+standins+2*(d+1)+d+2) + leaves*(8+2*28+4*listed(n, dims))
}

// listed returns the usual capacity of a leaf's list and its share of the lists above, in entries.
// The numbers are measured; in three dimensions they still grow with the points.
func listed(n, dims int) float64 {
	switch dims {
	case 1:
		return 20
	case 2:
		return 145
	}
	return 123 * max(1, math.Log2(float64(n)/1250))
}

// parts returns the number of parts of at most size into which n is halved.
func parts(n, size int) float64 {
	count := 1
	for n > size*count {
		count *= 2
	}
	return float64(count)
}

// gaussian adds the stages with Gaussian tails; held is the memory that all of them need.
func (p *Plan) gaussian(held float64, add func(name string, perRow, rest float64)) {
	k, d := float64(p.Neighbors), float64(p.Spec.Dims)
	entries := 2*k*mutual(p.Seen) + 2*float64(p.Level)
	// The factor accounts for nodes of all blocks, since each coarse-graining adds its landmarks.
	nodes := 1.2
	graph := k*12 + 8 + 24
	add("graph", held+graph+k*(24+24), 0)
	pairs := entries*(4+8+8) + 8 + nodes*(4+24) + k*4 + 8*3
	add("coarse", held+graph+pairs, 0)
	state := 8*d + 8
	// The solver uses blocks of a few more vectors than needed, as measured for d = 2.
	add("spectral", held+graph+pairs+state+8*(d+3)*16, 0)
	blocks := nodes * (4 + 24 + 4 + 8*(2*d+1) + 8*d)
	add("em", held+graph+pairs+state+blocks+8*entries+3*8*d+16+3*8*d+8, 0)
}
