package main

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"unfold/bench/internal/words"
	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// wordsResult is figure 4, and tables 1 and S2.
type wordsResult struct {
	Words, Dim int
	Rows       []recallRow
	Near       []nearWords
	CPU        float64 // seconds of the fit
}

// recallRow is the share of words whose nearest neighbour in the input is among the r nearest on a
// map.
type recallRow struct {
	Map    string
	Dims   int
	Recall []float64
}

// nearWords are a word's neighbours in the input and on the map.
type nearWords struct {
	Word          string
	Before, After []string
}

const (
	wordDims  = 10
	nearShown = 4
)

var (
	ranks    = []int{1, 2, 5, 10, 20, 50, 100}
	wordPCA  = []int{10, 20, 40, 80, 100}
	shownOf1 = strings.Fields("latent tractable variable nonlinear reduction dimensionality model word")
	// shownOfS2 are the words of the preamble of the Constitution in the paper's table.
	shownOfS2 = strings.Fields("People United_States Order form more perfect Union establish insure domestic Tranquility provide common defense promote Welfare secure Blessings Liberty Posterity ordain Constitution America")
)

func ofWords(ctx context.Context, b *bench) (*wordsResult, error) {
	names, x, err := words.Read(words.File(b.data))
	if err != nil {
		return nil, err
	}
	if err := writeRows(b.file("words.csv"), names, x); err != nil {
		return nil, err
	}
	in := []string{b.file("words.csv"), "--columns", "v*", "--id", "word", "--metric", "cosine", "--pca", "none"}
	f, err := b.fit(ctx, "words", append([]string{"--neighbors", "4", "--core", "3", "--level", "2", "--dims", strconv.Itoa(wordDims)}, in...)...)
	if err != nil {
		return nil, err
	}
	r := &wordsResult{Words: x.Rows, Dim: x.Cols, CPU: f.CPU}
	before, err := knn.Graph(ctx, unit(x), nearShown, knn.Settings{})
	if err != nil {
		return nil, err
	}
	m, err := b.places(ctx, "words")
	if err != nil {
		return nil, err
	}
	after, err := r.recalled(ctx, before, "this model", m.Embedding)
	if err != nil {
		return nil, err
	}
	r.Near = near(names, before, after)
	if m, err = b.components(ctx, slices.Max(wordPCA), in...); err != nil {
		return nil, err
	}
	for _, d := range wordPCA {
		if _, err := r.recalled(ctx, before, "principal components", leading(m.Embedding, d)); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// recalled adds the row of a map and returns the neighbours on it.
func (r *wordsResult) recalled(ctx context.Context, before *knn.Neighbors, name string, x vec.Matrix[float32]) (*knn.Neighbors, error) {
	after, err := knn.Graph(ctx, x, slices.Max(ranks), knn.Settings{})
	if err != nil {
		return nil, err
	}
	row := recallRow{Map: name, Dims: x.Cols}
	for _, rank := range ranks {
		row.Recall = append(row.Recall, recall(before, after, rank))
	}
	r.Rows = append(r.Rows, row)
	return after, nil
}

// recall returns the share of rows whose first neighbour before is among the first r after.
func recall(before, after *knn.Neighbors, r int) float64 {
	hits := 0
	for i := range before.N {
		first, _ := before.Row(i)
		list, _ := after.Row(i)
		if slices.Contains(list[:r], first[0]) {
			hits++
		}
	}
	return float64(hits) / float64(before.N)
}

// near returns the neighbours of the paper's words that exist.
func near(names []string, before, after *knn.Neighbors) (list []nearWords) {
	named := func(nb *knn.Neighbors, i int) (of []string) {
		index, _ := nb.Row(i)
		for _, j := range index[:nearShown] {
			of = append(of, names[j])
		}
		return of
	}
	for _, w := range slices.Concat(shownOf1, shownOfS2) {
		if i := slices.Index(names, w); i >= 0 {
			list = append(list, nearWords{w, named(before, i), named(after, i)})
		}
	}
	return list
}

// unit scales rows to length 1.
func unit(x vec.Matrix[float32]) vec.Matrix[float64] {
	out := vec.Convert[float64](x)
	for i := range out.Rows {
		vec.Scale(1/math.Sqrt(vec.SquaredNorm(out.Row(i))), out.Row(i))
	}
	return out
}

// writeRows writes words with their vectors as a table.
func writeRows(path string, names []string, x vec.Matrix[float32]) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	w.WriteString("word")
	for c := range x.Cols {
		fmt.Fprintf(w, ",v%d", c)
	}
	for i, name := range names {
		w.WriteString("\n\"" + strings.ReplaceAll(name, `"`, `""`) + "\"")
		for _, v := range x.Row(i) {
			w.WriteString("," + strconv.FormatFloat(float64(v), 'g', -1, 32))
		}
	}
	w.WriteString("\n")
	err = w.Flush()
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

func (r *wordsResult) markdown(*bench) string {
	text := fmt.Sprintf(`## Figure 4: words

The paper has 207147 words of word2vec's that WordNet lists; these are %d of the same vectors, of length 1 in %d dimensions. k = 4,
s = 3, l = 2, %d dimensions, %.0f s. The table has the share of words whose nearest neighbour is one of the r nearest on the map. In
the paper principal components need 8 to 10 times the dimensions for the same share.

| map | d |`, r.Words, r.Dim, wordDims, r.CPU)
	for _, rank := range ranks {
		text += fmt.Sprintf(" r = %d |", rank)
	}
	text += "\n|---|---|" + strings.Repeat("---|", len(ranks)) + "\n"
	for _, row := range r.Rows {
		text += fmt.Sprintf("| %s | %d |", row.Map, row.Dims)
		for _, v := range row.Recall {
			text += fmt.Sprintf(" %.3f |", v)
		}
		text += "\n"
	}
	text += "\n## Tables 1 and S2: words and their neighbours\n\nThe words of the paper that are among these words.\n\n| word | nearest before | nearest after |\n|---|---|---|\n"
	for _, n := range r.Near {
		text += fmt.Sprintf("| %s | %s | %s |\n", n.Word, strings.Join(n.Before, ", "), strings.Join(n.After, ", "))
	}
	return text
}
