package cli

import (
	"encoding/json"
	"os"
	"slices"
	"time"

	"unfold/ingest/emit"
	"unfold/internal/vec"
	"unfold/models"
)

// fitKey identifies a fit: another program, command or input makes another map.
type fitKey struct {
	Version string
	Command []string
	Inputs  []inputKey
}

// inputKey identifies the contents of an input.
type inputKey struct {
	Path     string
	Size     int64
	Modified time.Time
}

// key returns the key of the fit.
func (f *fitRun) key() (k fitKey, err error) {
	k = fitKey{Version: f.p.programVersion(), Command: f.p.Args}
	for _, path := range slices.Concat(f.inputs, f.LabelFile) {
		info, err := os.Stat(path)
		if err != nil {
			return k, err
		}
		k.Inputs = append(k.Inputs, inputKey{path, info.Size(), info.ModTime().UTC()})
	}
	return k, nil
}

// learntPart is the first record of a journal: the result of a fit without its rows.
type learntPart struct {
	Key fitKey
	// Of is the number of rows, Count that of the drawn ones. It depends on the memory of the process
	// when it starts, so a later run takes it from here.
	Of, Count  int
	Kind       string
	Report     models.Report
	Own        json.RawMessage
	Constant   []int
	SecondsPCA float64
	// SecondsIndex is the time to index the points.
	SecondsIndex float64
}

// keptRows are the figures of a batch of rows: places, learnt or of new points, as emit.Output has
// them.
type keptRows struct {
	Rows, Dims                         int
	Embedding                          []float32
	Sigma, NoveltyLocal, NoveltyGlobal []float32
	Probability, ClassEntropy          []float32
	Class                              []string
	ClassShares                        [][]emit.ClassShare
	Unlearnt                           []bool
}

// keptChunk is the number of learnt rows of a record.
const keptChunk = 1 << 16

// rowsOf returns the figures of rows from..to of an output. unlearnt may be nil.
func rowsOf(o *emit.Output, unlearnt []bool, from, to int) keptRows {
	return keptRows{
		Rows: to - from, Dims: o.Embedding.Cols, Embedding: o.Embedding.Slice(from, to).Data,
		Sigma: emit.Part(o.Sigma, from, to), NoveltyLocal: emit.Part(o.NoveltyLocal, from, to), NoveltyGlobal: emit.Part(o.NoveltyGlobal, from, to),
		Probability: emit.Part(o.Probability, from, to), ClassEntropy: emit.Part(o.ClassEntropy, from, to),
		Class: emit.Part(o.Class, from, to), ClassShares: emit.Part(o.ClassShares, from, to), Unlearnt: emit.Part(unlearnt, from, to),
	}
}

// add appends the rows to an output and to unlearnt.
func (k *keptRows) add(o *emit.Output, unlearnt *[]bool) {
	o.Embedding = vec.Of(o.Embedding.Rows+k.Rows, k.Dims, append(o.Embedding.Data, k.Embedding...))
	for _, c := range []struct {
		to   *[]float32
		from []float32
	}{
		{&o.Sigma, k.Sigma}, {&o.NoveltyLocal, k.NoveltyLocal}, {&o.NoveltyGlobal, k.NoveltyGlobal},
		{&o.Probability, k.Probability}, {&o.ClassEntropy, k.ClassEntropy},
	} {
		*c.to = append(*c.to, c.from...)
	}
	o.Class = append(o.Class, k.Class...)
	for _, shares := range k.ClassShares {
		if len(shares) == 0 {
			shares = nil // a gob does not distinguish them
		}
		o.ClassShares = append(o.ClassShares, shares)
	}
	*unlearnt = append(*unlearnt, k.Unlearnt...)
}

// learntPart returns the first record of the fit's journal.
func (f *fitRun) learntPart(key fitKey) (learntPart, error) {
	r, d := f.result, f.data.Drawn
	out := learntPart{
		Key: key, Of: d.Of, Count: d.Count,
		Kind: r.Spec.Kind, Report: r.Report, Constant: r.Constant, SecondsPCA: r.SecondsPCA, SecondsIndex: r.SecondsIndex,
	}
	if r.Own == nil {
		return out, nil
	}
	var err error
	out.Own, err = json.Marshal(r.Own)
	return out, err
}
