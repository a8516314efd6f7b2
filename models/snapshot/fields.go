package snapshot

import (
	"math"
	"slices"

	"unfold/internal/vec"
	"unfold/sparse/distance"
)

// field connects a block name with a field of Snapshot. put returns the block's content for
// writing, and get stores it after reading. Names, types and meanings of a version never change;
// new fields get new names.
type field struct {
	name string
	typ  Type
	// must is true if a file without this block is corrupt.
	must bool
	// rows and cols are the required shape; 0 accepts any number.
	rows, cols int
	put        func(s *Snapshot) content
	get        func(s *Snapshot, c content)
	// heavy is true for the blocks of heavy tails, which format version 2 added. A file has all of
	// them or none.
	heavy bool
}

// content is the content of a block in memory: a slice of rows*cols elements of the block's type,
// or rows strings for Text.
type content struct {
	rows, cols int // rows may be bytesOfData
	data       any
}

// inParts makes a field write its block, the reference points, in parts.
func inParts(f field) field {
	put := f.put
	f.put = func(s *Snapshot) content {
		c := put(s)
		c.data = reference{s}
		return c
	}
	return f
}

// reference are the reference points of a snapshot, read with eachPart.
type reference struct{ *Snapshot }

// releaseBytes is the approximate size of the parts of the reference points that are read before
// Release is called.
const releaseBytes = 16 << 20

// eachPart calls f for consecutive parts of the reference points, which begin at row first, and
// releases each part.
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

// bytesOfData as a number of rows stands for the number of bytes of the data, which is known after
// encoding.
const bytesOfData = -1

// fields lists the blocks in the order of writing.
var fields = slices.Concat(common, heavy, []field{distanceField, cellsField}, graphFields, []field{shiftField})

// cellsField is optional: older readers skip it and search exactly.
var cellsField = field{"cells.recall", Float64, false, 1, 1,
	func(s *Snapshot) content {
		if s.CellRecall == 0 {
			return content{}
		}
		return content{1, 1, []float64{s.CellRecall}}
	},
	func(s *Snapshot, c content) { s.CellRecall = first[float64](c) }, false}

// shiftField came with version 5, because a reader that skips it would place vectors as they are.
var shiftField = column("shift", Float64, false, func(s *Snapshot) *[]float64 { return &s.Shift })

// distanceField came with version 3, because a reader that skips it would place with another
// distance.
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
			d = noDistance // Validate rejects it
		}
		s.Distance = d
	}, false}

// noDistance is an invalid distance.
const noDistance = distance.Distance(math.MaxUint8)

// mapIDName is the block of the map's id.
const mapIDName = "map.id"

// encoderName is the block of the encoder.
const encoderName = "encoder"

// common are the blocks of version 1.
var common = []field{
	{"kind", Text, true, 1, 1,
		func(s *Snapshot) content { return content{1, 1, []string{s.Kind}} },
		func(s *Snapshot, c content) { s.Kind = first[string](c) }, false},
	{mapIDName, Text, false, 1, 1,
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
	column(encoderName, Bytes, false, func(s *Snapshot) *[]byte { return &s.Encoder }),
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
					v = -1 // Validate rejects it
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

// byName maps block names to fields.
var byName = func() map[string]*field {
	m := make(map[string]*field, len(fields))
	for i := range fields {
		m[fields[i].name] = &fields[i]
	}
	return m
}()

// scalar returns a field of one uint64.
func scalar(name string, put func(*Snapshot) uint64, get func(*Snapshot, uint64)) field {
	return field{name, Uint64, true, 1, 1,
		func(s *Snapshot) content { return content{1, 1, []uint64{put(s)}} },
		func(s *Snapshot, c content) { get(s, first[uint64](c)) }, false}
}

// column returns a field of any number of rows of one element. An empty column is read as nil.
func column[T any](name string, t Type, must bool, at func(*Snapshot) *[]T) field {
	return field{name, t, must, 0, 1,
		func(s *Snapshot) content { return content{len(*at(s)), 1, *at(s)} },
		func(s *Snapshot, c content) {
			if v := c.data.([]T); len(v) > 0 {
				*at(s) = v
			}
		}, false}
}

// matrix returns a field of rows x cols elements.
func matrix[T vec.Float](name string, t Type, must bool, at func(*Snapshot) *vec.Matrix[T]) field {
	return field{name, t, must, 0, 0,
		func(s *Snapshot) content { m := at(s); return content{m.Rows, m.Cols, m.Data} },
		func(s *Snapshot, c content) {
			*at(s) = vec.Matrix[T]{Rows: c.rows, Cols: c.cols, Data: c.data.([]T)}
		}, false}
}

// each returns a column with one value per element of list.
func each[E, T any](list []E, value func(E) T) content {
	out := make([]T, len(list))
	for i, e := range list {
		out[i] = value(e)
	}
	return content{len(out), 1, out}
}

// first returns the element of a block of one.
func first[T any](c content) T { return c.data.([]T)[0] }

// position returns the i-th position and extends the list if necessary.
func (s *Snapshot) position(i int) *Position {
	for len(s.Positions) <= i {
		s.Positions = append(s.Positions, Position{})
	}
	return &s.Positions[i]
}

// toInt converts a count from the file. A number that is too large becomes -1, which Validate
// rejects.
func toInt(v uint64) int {
	if v > 1<<31 {
		return -1
	}
	return int(v)
}
