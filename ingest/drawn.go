package ingest

import (
	"math/bits"
	"math/rand/v2"
	"sort"

	"unfold/internal/vec"
)

// Drawn is a uniform sample, without replacement, of the rows of a source. It takes 0.2 bytes for
// each row of the source.
type Drawn struct {
	// Of is the number of rows of the source, Count that of the drawn rows.
	Of, Count int
	words     []uint64
	before    []uint32 // drawn rows before each word
}

// Draw draws count of the rows 0..of-1. The seed determines them.
func Draw(of, count int, seed uint64) *Drawn {
	d := &Drawn{Of: of, Count: count, words: make([]uint64, of/64+1), before: make([]uint32, of/64+1)}
	r, need := rand.New(rand.NewPCG(seed, 0xd2a)), count
	for i := 0; i < of && need > 0; i++ {
		// The probability of row i is the number of rows still needed over the number of rows left.
		if r.IntN(of-i) < need {
			d.words[i/64] |= 1 << (i % 64)
			need--
		}
	}
	sum := 0
	for w, word := range d.words {
		d.before[w] = uint32(sum)
		sum += bits.OnesCount64(word)
	}
	return d
}

// Has reports whether a row of the source was drawn.
func (d *Drawn) Has(row int) bool { return d.words[row/64]>>(row%64)&1 == 1 }

// Before returns the number of drawn rows before a row of the source: the index of the row among
// the drawn ones if Has(row).
func (d *Drawn) Before(row int) int {
	return int(d.before[row/64]) + bits.OnesCount64(d.words[row/64]&(1<<(row%64)-1))
}

// among returns the drawn ones of the rows from..from+n-1, numbered relative to from.
func (d *Drawn) among(from, n int) []int {
	var rows []int
	for i := range n {
		if d.Has(from + i) {
			rows = append(rows, i)
		}
	}
	return rows
}

// take copies the drawn rows of a batch to x. Row 0 of the batch is the given row of the source.
// The other rows were encoded as well, so that their errors name the same rows as without a draw.
func (d *Drawn) take(b *Batch, row int, x vec.Matrix[float32]) (*Batch, error) {
	rows, at := d.among(row, b.Len()), d.Before(row)
	out := &Batch{X: x.Slice(at, at+len(rows)), Blank: b.Blank, Origin: b.Origin}
	for k, i := range rows {
		copy(out.X.Row(k), b.X.Row(i))
		if b.Label != nil {
			out.Label = append(out.Label, b.Label[i])
		}
	}
	var err error
	if out.ID, err = b.ID.Take(rows); err != nil {
		return nil, err
	}
	for _, c := range b.Kept {
		if c, err = c.Take(rows); err != nil {
			return nil, err
		}
		out.Kept = append(out.Kept, c)
	}
	return out, nil
}

// Row returns the source's row number of drawn row k.
func (d *Drawn) Row(k int) int {
	w := sort.Search(len(d.before), func(w int) bool { return int(d.before[w]) > k }) - 1
	word := d.words[w]
	for range k - int(d.before[w]) {
		word &= word - 1 // without its lowest row
	}
	return 64*w + bits.TrailingZeros64(word)
}
