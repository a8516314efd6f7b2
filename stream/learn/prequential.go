package learn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"unfold/ingest"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/knn"
	"unfold/stream/reference"
)

// Each map is evaluated on the stream before it learns from it (prequentially; Dawid 1984). A
// uniform sample of the labelled events between two maps is placed on the older one, where the
// nearest reference points vote on their labels.
const (
	// neighboursVoting is the number of reference points that vote.
	neighboursVoting = 9
	// mostVotes bounds the sample between two maps. The share of errors then has a standard
	// deviation of at most .016.
	mostVotes = 1000
	// mostClasses bounds the number of distinct labels, and labelBytes their length.
	mostClasses, labelBytes = 4096, 256
)

// noClass is the class of events without a label, and of labels beyond mostClasses.
const noClass = -1

// prequential are the labels of a stream and the sample of events for the next vote.
type prequential struct {
	names  []string
	number map[string]int32

	random *rand.Rand
	// came counts the labelled events since the last map. kept is a sample of them.
	came int
	kept sample
}

// sample are events, as vectors, with their classes.
type sample struct {
	x     vec.Matrix[float32]
	class []int32
}

func newPrequential(seed uint64) *prequential {
	return &prequential{number: map[string]int32{}, random: rand.New(rand.NewPCG(seed, 0x707e))}
}

// named restores the labels of a saved set.
func (v *prequential) named(names []string) {
	v.names = names
	for i, name := range names {
		v.number[name] = int32(i)
	}
}

// classes returns the classes of a batch's events from its column of labels; nil if there is no
// such column.
func (v *prequential) classes(b *ingest.Batch, label string) []int32 {
	at := slices.IndexFunc(b.Kept, func(c table.Column) bool { return label != "" && c.Name() == label })
	if at < 0 {
		return nil
	}
	out := make([]int32, b.Len())
	for i := range out {
		out[i] = v.class(labelOf(b.Kept[at], i))
	}
	return out
}

// class returns the number of a label.
func (v *prequential) class(label string) int32 {
	k, known := v.number[label]
	switch {
	case known:
		return k
	case label == "" || len(label) > labelBytes || len(v.names) == mostClasses:
		return noClass
	}
	k, label = int32(len(v.names)), string([]byte(label)) // copied, because it may be part of a whole message
	v.names, v.number[label] = append(v.names, label), k
	return k
}

// sample adds events to the reservoir sample (algorithm R; Vitter 1985).
func (v *prequential) sample(b *ingest.Batch, classes []int32) {
	for i, k := range classes {
		if k == noClass {
			continue
		}
		s := &v.kept
		if s.x.Rows < mostVotes {
			s.x.Rows, s.x.Cols = s.x.Rows+1, b.X.Cols
			s.x.Data, s.class = append(s.x.Data, b.X.Row(i)...), append(s.class, k)
		} else if at := v.random.IntN(v.came + 1); at < mostVotes {
			copy(s.x.Row(at), b.X.Row(i))
			s.class[at] = k
		}
		v.came++
	}
}

// cut returns the sample and begins a new one.
func (v *prequential) cut() sample {
	s := v.kept
	v.came, v.kept = 0, sample{}
	return s
}

// setClass stores the class of a point in the last element of its note.
func setClass(ref *reference.Set, p, class int32) {
	note := ref.Note(p)
	note[len(note)-1] = float32(class)
}

// labelNames returns the names of the classes; nil only if there can be none. The caller must hold
// the lock.
func (in *intake) labelNames() []string {
	if in.set.Mapping.Label == "" {
		return nil
	}
	return append([]string{}, in.prequential.names...)
}

// judge evaluates the map that is about to be replaced on a sample of events and adds the result to
// the stats of the next map. Errors do not block the map.
func (p *publisher) judge(ctx context.Context, d *draft, sample sample) {
	cur := p.current.Load()
	if cur == nil {
		return
	}
	voted, wrong, err := cur.vote(ctx, sample, p.set.spec().Threads)
	if err != nil {
		if ctx.Err() == nil {
			p.failed(fmt.Errorf("judging the map: %w", err))
		}
		return
	}
	d.stats.Voted, d.stats.Wrong = d.stats.Voted+voted, d.stats.Wrong+wrong
}

// rowClasses returns the classes of the rows of the map that was last published or is about to be;
// nil if no row has one. The caller must hold the lock.
func (in *intake) rowClasses(rows int) []int32 {
	if in.set.Mapping.Label == "" || len(in.prequential.names) == 0 {
		return nil
	}
	out := make([]int32, rows)
	for r := range out {
		out[r] = noClass
	}
	for p := range in.ref.All() {
		note := in.ref.Note(p)
		if k := float64(note[len(note)-1]); in.ref.Row(p) >= 0 && !math.IsNaN(k) {
			out[in.ref.Row(p)] = int32(k)
		}
	}
	return out
}

// vote places events on a map. It returns the number of events on which its labelled points voted,
// and the number of wrong votes.
func (p *published) vote(ctx context.Context, b sample, threads int) (voted, wrong int, err error) {
	mu := vec.Matrix[float32]{Cols: p.snapshot.Mu.Cols}
	var class []int32
	for r, k := range p.classes {
		if k != noClass {
			class = append(class, k)
			for _, v := range p.snapshot.Mu.Row(r) {
				mu.Data = append(mu.Data, float32(v))
			}
		}
	}
	if mu.Rows = len(class); mu.Rows == 0 || b.x.Rows == 0 || b.x.Cols != p.snapshot.Dim {
		return 0, 0, nil
	}
	placed, err := p.at.Placer().Place(ctx, b.x)
	for row := (*models.RowError)(nil); errors.As(err, &row); { // events without a place are left out
		b = b.without(row.Row)
		placed, err = p.at.Placer().Place(ctx, b.x)
	}
	if err != nil {
		return 0, 0, err
	}
	near, err := knn.NewExact(mu).Search(ctx, placed.Mu, min(neighboursVoting, mu.Rows), knn.Settings{Threads: threads})
	if err != nil {
		return 0, 0, err
	}
	for i, k := range b.class {
		index, _ := near.Row(i)
		if majority(index, class) != k {
			wrong++
		}
	}
	return len(b.class), wrong, nil
}

// without returns a copy without the given event.
func (b sample) without(row int) sample {
	var rest []int32
	for i := range b.x.Rows {
		if i != row {
			rest = append(rest, int32(i))
		}
	}
	return sample{vec.Take(b.x, rest), slices.Delete(slices.Clone(b.class), row, row+1)}
}

// majority returns the most frequent class among points, which are ordered nearest first. Ties go
// to the class of the nearest point.
func majority(near, class []int32) int32 {
	best, most := int32(noClass), 0
	for at, j := range near {
		count := 0
		for _, i := range near[at:] {
			if class[i] == class[j] {
				count++
			}
		}
		if count > most {
			best, most = class[j], count
		}
	}
	return best
}
