package snapshot

import (
	"math"
	"slices"

	"unfold/internal/vec"
	"unfold/sparse/distance"
)

// field ties one block name to one field of Snapshot: put gives its content
// for writing, get takes it when reading. Names, types and meaning of a version
// are fixed for ever; new fields get new names.
type field struct {
	name string
	typ  Type
	// must says that a file without this block is corrupt.
	must bool
	// rows and cols are the shape, 0 where any is right.
	rows, cols int
	put        func(s *Snapshot) content
	get        func(s *Snapshot, c content)
	// heavy says that the block belongs to heavy tails: it came with format
	// version 2, and either all of them are there or none.
	heavy bool
}

// content is the content of a block in memory: a slice of the type's elements,
// rows*cols long (Text: rows strings).
type content struct {
	rows, cols int // rows may be bytesOfData
	data       any
}

// inParts has the block of the reference points written part by part.
func inParts(f field) field {
	put := f.put
	f.put = func(s *Snapshot) content {
		c := put(s)
		c.data = reference{s}
		return c
	}
	return f
}

// reference are the reference points of a snapshot, to be read by eachPart.
type reference struct{ *Snapshot }

// releaseBytes is about how much of the reference points is read before it is released.
const releaseBytes = 16 << 20

// eachPart calls f for parts of the reference points, which begin at row first, and lets go of each.
func (s *Snapshot) eachPart(f func(first int, part vec.Matrix[float32]) error) error {
	x := s.Reference
	rows := max(1, releaseBytes/4/max(1, x.Cols))
	for first := 0; first < x.Rows; first += rows {
		if err := f(first, x.Slice(first, min(x.Rows, first+rows))); err != nil {
			return err
		}
		if s.Release != nil {
			s.Release()
		}
	}
	return nil
}

// bytesOfData stands for as many rows as data has bytes, which is known when they are written.
const bytesOfData = -1

// fields lists the blocks in the order in which they are written.
var fields = slices.Concat(common, heavy, []field{distanceField, cellsField}, graphFields)

// cellsField is skipped by older readers, which search exactly then.
var cellsField = field{"cells.recall", Float64, false, 1, 1,
	func(s *Snapshot) content {
		if s.CellRecall == 0 {
			return content{}
		}
		return content{1, 1, []float64{s.CellRecall}}
	},
	func(s *Snapshot, c content) { s.CellRecall = first[float64](c) }, false}

// distanceField came with version 3: a reader that skips it would place by another distance.
var distanceField = field{"distance", Text, false, 1, 1,
	func(s *Snapshot) content {
		if s.Distance == distance.Euclidean {
			return content{}
		}
		return content{1, 1, []string{s.Distance.String()}}
	},
	func(s *Snapshot, c content) {
		d, err := distance.Parse(first[string](c))
		if err != nil || d == distance.Euclidean {
			d = noDistance // Validate refuses it
		}
		s.Distance = d
	}, false}

// noDistance is none.
const noDistance = distance.Distance(math.MaxUint8)

// common are the blocks of version 1.
var common = []field{
	{"kind", Text, true, 1, 1,
		func(s *Snapshot) content { return content{1, 1, []string{s.Kind}} },
		func(s *Snapshot, c content) { s.Kind = first[string](c) }, false},
	{"map.id", Text, false, 1, 1,
		func(s *Snapshot) content {
			if s.MapID == "" {
				return content{}
			}
			return content{1, 1, []string{s.MapID}}
		},
		func(s *Snapshot, c content) { s.MapID = first[string](c) }, false},
	scalar("version", func(s *Snapshot) uint64 { return s.Version }, func(s *Snapshot, v uint64) { s.Version = v }),
	{"epoch", Uint32, true, 1, 1,
		func(s *Snapshot) content { return content{1, 1, []uint32{s.Epoch}} },
		func(s *Snapshot, c content) { s.Epoch = first[uint32](c) }, false},
	scalar("dim", func(s *Snapshot) uint64 { return uint64(s.Dim) }, func(s *Snapshot, v uint64) { s.Dim = toInt(v) }),
	scalar("neighbors", func(s *Snapshot) uint64 { return uint64(s.Neighbors) }, func(s *Snapshot, v uint64) { s.Neighbors = toInt(v) }),
	scalar("steps", func(s *Snapshot) uint64 { return uint64(s.Steps) }, func(s *Snapshot, v uint64) { s.Steps = toInt(v) }),
	{"dissimilar", Float64, true, 1, 1,
		func(s *Snapshot) content { return content{1, 1, []float64{s.Dissimilar}} },
		func(s *Snapshot, c content) { s.Dissimilar = first[float64](c) }, false},
	scalar("novelty.k", func(s *Snapshot) uint64 { return uint64(s.NoveltyK) }, func(s *Snapshot, v uint64) { s.NoveltyK = toInt(v) }),
	column("settings", Bytes, false, func(s *Snapshot) *[]byte { return &s.Settings }),
	column("encoder", Bytes, false, func(s *Snapshot) *[]byte { return &s.Encoder }),
	column("names", Text, false, func(s *Snapshot) *[]string { return &s.Names }),
	column("learning", Bytes, false, func(s *Snapshot) *[]byte { return &s.Learning }),
	column("mean", Float32, false, func(s *Snapshot) *[]float32 { return &s.Mean }),
	matrix("components", Float32, false, func(s *Snapshot) *vec.Matrix[float32] { return &s.Components }),
	inParts(matrix("reference", Float32, true, func(s *Snapshot) *vec.Matrix[float32] { return &s.Reference })),
	column("count", Uint32, true, func(s *Snapshot) *[]uint32 { return &s.Count }),
	column("ids", Text, false, func(s *Snapshot) *[]string { return &s.IDs }),
	matrix("mu", Float64, true, func(s *Snapshot) *vec.Matrix[float64] { return &s.Mu }),
	column("sigma2", Float64, true, func(s *Snapshot) *[]float64 { return &s.Sigma2 }),
	column("bandwidth2", Float64, true, func(s *Snapshot) *[]float64 { return &s.Bandwidth2 }),
	{"unlearnt", Bytes, false, 0, 1,
		func(s *Snapshot) content {
			flags := make([]byte, len(s.Unlearnt))
			for i, u := range s.Unlearnt {
				if u {
					flags[i] = 1
				}
			}
			return content{len(flags), 1, flags}
		},
		func(s *Snapshot, c content) {
			for _, f := range c.data.([]byte) {
				s.Unlearnt = append(s.Unlearnt, f != 0)
			}
		}, false},
	column("novelty.kdist2", Float64, true, func(s *Snapshot) *[]float64 { return &s.KDist2 }),
	column("novelty.density", Float64, true, func(s *Snapshot) *[]float64 { return &s.Density }),
	column("novelty.local", Float64, true, func(s *Snapshot) *[]float64 { return &s.LocalScores }),
	column("novelty.global", Float64, true, func(s *Snapshot) *[]float64 { return &s.GlobalScores }),
	{"index", Bytes, false, 0, 1, putIndex, func(s *Snapshot, c content) { s.links = c.data.([]byte) }, false},
	{"position.topic", Text, false, 0, 1,
		func(s *Snapshot) content {
			return each(s.Positions, func(p Position) string { return p.Topic })
		},
		func(s *Snapshot, c content) {
			for i, v := range c.data.([]string) {
				s.position(i).Topic = v
			}
		}, false},
	{"position.partition", Int64, false, 0, 1,
		func(s *Snapshot) content {
			return each(s.Positions, func(p Position) int64 { return int64(p.Partition) })
		},
		func(s *Snapshot, c content) {
			for i, v := range c.data.([]int64) {
				if int64(int32(v)) != v {
					v = -1 // Validate refuses it
				}
				s.position(i).Partition = int(v)
			}
		}, false},
	{"position.offset", Int64, false, 0, 1,
		func(s *Snapshot) content {
			return each(s.Positions, func(p Position) int64 { return p.Offset })
		},
		func(s *Snapshot, c content) {
			for i, v := range c.data.([]int64) {
				s.position(i).Offset = v
			}
		}, false},
}

// byName finds the field of a block.
var byName = func() map[string]*field {
	m := make(map[string]*field, len(fields))
	for i := range fields {
		m[fields[i].name] = &fields[i]
	}
	return m
}()

// scalar is a field of one uint64.
func scalar(name string, put func(*Snapshot) uint64, get func(*Snapshot, uint64)) field {
	return field{name, Uint64, true, 1, 1,
		func(s *Snapshot) content { return content{1, 1, []uint64{put(s)}} },
		func(s *Snapshot, c content) { get(s, first[uint64](c)) }, false}
}

// column is a field of any number of rows of one element. No rows and no
// slice are the same.
func column[T any](name string, t Type, must bool, at func(*Snapshot) *[]T) field {
	return field{name, t, must, 0, 1,
		func(s *Snapshot) content { return content{len(*at(s)), 1, *at(s)} },
		func(s *Snapshot, c content) {
			if v := c.data.([]T); len(v) > 0 {
				*at(s) = v
			}
		}, false}
}

// matrix is a field of rows x cols elements.
func matrix[T vec.Float](name string, t Type, must bool, at func(*Snapshot) *vec.Matrix[T]) field {
	return field{name, t, must, 0, 0,
		func(s *Snapshot) content { m := at(s); return content{m.Rows, m.Cols, m.Data} },
		func(s *Snapshot, c content) {
			*at(s) = vec.Matrix[T]{Rows: c.rows, Cols: c.cols, Data: c.data.([]T)}
		}, false}
}

// each makes a column of one value of every element of list.
func each[E, T any](list []E, value func(E) T) content {
	out := make([]T, len(list))
	for i, e := range list {
		out[i] = value(e)
	}
	return content{len(out), 1, out}
}

// first is the element of a block of one.
func first[T any](c content) T { return c.data.([]T)[0] }

// position returns the i-th position, making room for it.
func (s *Snapshot) position(i int) *Position {
	for len(s.Positions) <= i {
		s.Positions = append(s.Positions, Position{})
	}
	return &s.Positions[i]
}

// toInt converts a number of the file; one that is no count becomes -1, which
// Validate refuses.
func toInt(v uint64) int {
	if v > 1<<31 {
		return -1
	}
	return int(v)
}
