package pca

import (
	"context"
	"time"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/par"
	"unfold/sparse"
)

// usualSparse is the typical number of rounds for sparse rows. Word counts take 3 or 4, and rows
// without any structure sparseRounds.
const usualSparse = 4

// truncatedWork is the work of Truncated and of the projection that follows.
type truncatedWork struct {
	// Vectors is the number of vectors that are multiplied by A'A.
	Vectors float64
	// Rounds is the number of rounds of the iteration, 0 if all eigenvectors are computed at once. A
	// round has a space of Space vectors and keeps Carried of them.
	Rounds, Space, Carried float64
}

// workOf returns the expected work of Truncated for q components of dim columns.
func workOf(dim, q int) truncatedWork {
	if direct(dim, q) {
		return truncatedWork{Vectors: float64(dim)}
	}
	m := float64(carried(q))
	space := (depth + 1) * m
	return truncatedWork{Vectors: usualSparse * (depth*m + space), Rounds: usualSparse, Space: space, Carried: m}
}

// TruncatedRates are the times of a product of A'A with a vector: Entry for each entry of A, and
// Column for each column, in seconds with all threads busy.
type TruncatedRates struct {
	Rates
	Entry, Column float64
}

// trialEntries bounds the entries of the rows that MeasureTruncated multiplies.
const trialEntries = 1 << 18

// MeasureTruncated measures the rates for the rows of a, in some tenths of a second.
func MeasureTruncated(ctx context.Context, a *sparse.Rows, threads int) (TruncatedRates, error) {
	r := TruncatedRates{Rates: MeasureRates(threads)}
	some := a
	if a.NNZ() > trialEntries {
		step := (a.NNZ() + trialEntries - 1) / trialEntries
		var rows []int32
		for i := 0; i < a.N(); i += step {
			rows = append(rows, int32(i))
		}
		some = a.Take(rows)
	}
	vectors := bandColumns * par.Threads(threads)
	v := mat.NewDense(a.M(), vectors, nil)
	least := func(a *sparse.Rows) (seconds float64, err error) {
		g := &gram{a: a, threads: threads}
		for try := range rateTrials {
			begin := time.Now()
			if _, err := g.apply(ctx, v); err != nil {
				return 0, err
			}
			if took := time.Since(begin).Seconds(); try == 0 || took < seconds {
				seconds = took
			}
		}
		return seconds, nil
	}
	empty, err := least(a.Take(nil))
	if err != nil {
		return r, err
	}
	full, err := least(some)
	r.Column = empty / float64(a.M()*vectors)
	r.Entry = max(full-empty, 0) / float64(max(1, some.NNZ())*vectors)
	return r, err
}

// Seconds returns the approximate duration of Truncated and of the projection of the rows, for q
// components of n rows of dim columns with the given number of entries.
func (r TruncatedRates) Seconds(n, dim, entries, q int) float64 {
	rows, columns, all := float64(n), float64(dim), float64(entries)
	product := r.Entry*all + r.Column*columns
	t := float64(q) * product / 2
	switch few := min(q, n); sparseFormOf(n, dim, q) {
	case Dual:
		// Entry is the time of two multiply-adds.
		t += float64(q) * product / 2
		if n > maxGram && !direct(n, few) {
			w := workOf(n, few)
			return t + w.Vectors*product + w.Rounds*r.round(rows, w.Carried, w.Space, depth)
		}
		return t + r.Entry*all*rows/4 + r.formed(n, few)
	case Primal:
		return t + r.Entry*all*max(1, all/rows)/4 + r.formed(dim, q)
	}
	w := workOf(dim, q)
	return t + w.Vectors*product + w.Rounds*r.round(columns, w.Carried, w.Space, depth)
}

// formed returns the time of finding q eigenvectors of a matrix of that order that is formed.
func (r TruncatedRates) formed(order, q int) float64 {
	size, m := float64(order), float64(carried(q))
	switch {
	case whole(order, q):
		return r.Dense * size * size * size
	case wide(order, q):
		return usualSparse * (r.Product*size*size*(powers*m+m) + r.round(size, m, m, powers))
	}
	space := (depth + 1) * m
	return usualSparse * (r.Product*size*size*(depth*m+space) + r.round(size, m, space, depth))
}
