package conformance

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"unfold/ingest"
	"unfold/internal/vec"
	"unfold/models/score"
)

// Set contains events with their groups, in order of arrival. No two have the same vector.
type Set struct {
	Name string
	// X has one row per event, with the original vectors.
	X     vec.Matrix[float32]
	Group []int32
	// Metric is source.metric of the stage; empty means euclidean.
	Metric ingest.Metric
	// Apart is true if the groups are far apart, so that every map must separate them.
	Apart bool
	// HeldOut is true if no constant of package models/live was chosen on these events.
	HeldOut bool
}

// Readme returns n events like those of README's produce.py: three groups in 64 dimensions.
func Readme(n int) *Set {
	s := blobs("README's events", n, 64, 3, 0x5e, func(_ *rand.Rand, k int) float32 { return 3 * float32(k) })
	s.Apart = true
	return s
}

// Blobs returns n events of eight Gaussian groups with deviation 1, whose centres have deviation 2, in dim
// dimensions. In 8 of them the groups overlap.
func Blobs(n, dim int) *Set {
	s := blobs(fmt.Sprintf("blobs in %d dimensions", dim), n, dim, 8, uint64(dim), func(r *rand.Rand, _ int) float32 { return 2 * float32(r.NormFloat64()) })
	s.Apart, s.HeldOut = true, dim != 32
	return s
}

// blobs returns n events with alternating groups, around centres whose coordinates centre draws.
func blobs(name string, n, dim, groups int, seed uint64, centre func(r *rand.Rand, k int) float32) *Set {
	r := rand.New(rand.NewPCG(seed, 0xb10b5))
	centres := vec.New[float32](groups, dim)
	for i := range centres.Data {
		centres.Data[i] = centre(r, i/dim)
	}
	s := &Set{Name: name, X: vec.New[float32](n, dim), Group: make([]int32, n)}
	for i := range n {
		s.Group[i] = int32(i % groups)
		for c, v := range centres.Row(i % groups) {
			s.X.Row(i)[c] = v + float32(r.NormFloat64())
		}
	}
	return s
}

// Digits returns the shuffled MNIST digits of a folder. Those in testdata/digits are the first
// ones.
func Digits(ctx context.Context, folder string) (*Set, error) {
	s, err := read(ctx, "digits", filepath.Join(folder, "train-images-idx3-ubyte.gz"),
		ingest.ReadOptions{LabelFiles: []string{filepath.Join(folder, "train-labels-idx1-ubyte.gz")}})
	if err != nil {
		return nil, err
	}
	return s.shuffled(0xd161), nil
}

// Connections returns the distinct connections of testdata/kdd, a sample of KDD Cup 1999, shuffled.
// Words are columns of 0 and 1, and numbers are logarithms. The group is the category of the
// attack.
func Connections(ctx context.Context, file string) (*Set, error) {
	m := ingest.Mapping{Log1p: true, Selection: ingest.Selection{Label: "category"}}
	for _, name := range []string{"*", "protocol_type", "service", "flag", "-record", "-label"} {
		m.Columns = append(m.Columns, ingest.ColumnSpec{Name: name})
	}
	s, err := read(ctx, "connections", file, ingest.ReadOptions{Mapping: m})
	if err != nil {
		return nil, err
	}
	s.HeldOut = true
	return s.distinct().shuffled(0xcdd), nil
}

// Glosses returns the embedded sentences of a folder with glosses_10000x384_f16.npy and
// glosses.tsv.gz. Their metric is cosine, and the group is the category of the word.
func Glosses(ctx context.Context, folder string) (*Set, error) {
	s, err := read(ctx, "sentences", filepath.Join(folder, "glosses_10000x384_f16.npy"), ingest.ReadOptions{})
	if err != nil {
		return nil, err
	}
	name := filepath.Join(folder, "glosses.tsv.gz")
	var category []string
	if err := eachLine(name, func(line string) error {
		word, _, _ := strings.Cut(line, "\t")
		category = append(category, word)
		return nil
	}); err != nil {
		return nil, err
	}
	if len(category) != s.X.Rows+1 { // after the line of names
		return nil, fmt.Errorf("%s: categories of %d sentences, want %d", name, len(category)-1, s.X.Rows)
	}
	s.Metric = ingest.Cosine
	s.Group, _ = score.Classes(category[1:])
	return s, nil
}

// Envelopes returns the shuffled USPS digits of a folder: 16 x 16 grey values.
func Envelopes(ctx context.Context, folder string) (*Set, error) {
	s := &Set{Name: "digits on envelopes", HeldOut: true}
	var label []string
	for _, part := range []string{"zip.train.gz", "zip.test.gz"} {
		if err := eachLine(filepath.Join(folder, part), func(line string) error {
			words := strings.Fields(line)
			label = append(label, strings.TrimSuffix(words[0], ".0000"))
			for _, w := range words[1:] {
				v, err := strconv.ParseFloat(w, 32)
				if err != nil {
					return err
				}
				s.X.Data = append(s.X.Data, float32(v))
			}
			return nil
		}); err != nil {
			return nil, err
		}
	}
	s.X.Rows, s.X.Cols = len(label), len(s.X.Data)/max(len(label), 1)
	s.Group, _ = score.Classes(label)
	return s.distinct().shuffled(0x05b5), ctx.Err()
}

// eachLine calls a function with each line of a gzipped file.
func eachLine(name string, do func(line string) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	lines := bufio.NewScanner(unzipped)
	for lines.Scan() {
		if err := do(lines.Text()); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// read reads a file of events, with their groups as labels.
func read(ctx context.Context, name, file string, o ingest.ReadOptions) (*Set, error) {
	all, err := ingest.ReadAll(ctx, []string{file}, o)
	if err != nil {
		return nil, err
	}
	s := &Set{Name: name, X: all.X}
	if len(all.Label) > 0 {
		s.Group, _ = score.Classes(all.Label)
	}
	return s, nil
}

// First returns the first n events, or all if there are fewer.
func (s *Set) First(n int) *Set {
	out := *s
	out.X = s.X.Slice(0, min(n, s.X.Rows))
	out.Group = s.Group[:out.X.Rows]
	return &out
}

// Take returns the events of the given rows.
func (s *Set) Take(rows []int) *Set {
	out := *s
	out.X, out.Group = vec.Take(s.X, rows), make([]int32, len(rows))
	for i, r := range rows {
		out.Group[i] = s.Group[r]
	}
	return &out
}

func (s *Set) shuffled(seed uint64) *Set {
	return s.Take(rand.New(rand.NewPCG(seed, 0x5e75)).Perm(s.X.Rows))
}

// distinct keeps the first of events with equal vectors.
func (s *Set) distinct() *Set {
	seen, rows := map[string]bool{}, []int(nil)
	for i := range s.X.Rows {
		var key []byte
		for _, v := range s.X.Row(i) {
			key = binary.LittleEndian.AppendUint32(key, math.Float32bits(v))
		}
		if !seen[string(key)] {
			seen[string(key)], rows = true, append(rows, i)
		}
	}
	return s.Take(rows)
}

// Vectors returns vectors whose Euclidean distance is the metric of the set.
func (s *Set) Vectors() vec.Matrix[float32] {
	if s.Metric != ingest.Cosine {
		return s.X
	}
	x := s.X.Clone()
	for i := range x.Rows {
		row, sum := x.Row(i), 0.0
		for _, v := range row {
			sum += float64(v) * float64(v)
		}
		for c, v := range row {
			row[c] = float32(float64(v) / math.Sqrt(sum))
		}
	}
	return x
}
