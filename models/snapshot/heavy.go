package snapshot

import (
	"fmt"
	"math"
	"slices"
)

// Tails is the content of the block "tails". Maps with Gaussian tails have no such block.
const Tails = "student"

// heavy are the blocks that version 2 added for maps with heavy tails.
var heavy = []field{
	student("tails", Text, 1, func(*Student) []string { return []string{Tails} }, func(*Student, []string) {}),
	number("student.tail", func(st *Student) *float64 { return &st.Tail }),
	number("student.unit", func(st *Student) *float64 { return &st.Unit }),
	student("student.clip", Float64, 2, func(st *Student) []float64 { return st.Clip[:] }, func(st *Student, v []float64) { copy(st.Clip[:], v) }),
	number("student.weight", func(st *Student) *float64 { return &st.Weight }),
	student("student.field", Text, 1, func(st *Student) []string { return []string{st.Field} }, func(st *Student, v []string) { st.Field = v[0] }),
	number("student.theta", func(st *Student) *float64 { return &st.Theta }),
	student("student.seed", Uint64, 1, func(st *Student) []uint64 { return []uint64{st.Seed} }, func(st *Student, v []uint64) { st.Seed = v[0] }),
	student("student.error2", Float64, 0, func(st *Student) []float64 { return st.Error2 }, func(st *Student, v []float64) { st.Error2 = v }),
}

// student returns a field of Snapshot.Student, a column of the given number of rows (0: any).
func student[T any](name string, t Type, rows int, put func(*Student) []T, get func(*Student, []T)) field {
	return field{name, t, false, rows, 1,
		func(s *Snapshot) content {
			if s.Student == nil {
				return content{}
			}
			v := put(s.Student)
			return content{len(v), 1, v}
		},
		func(s *Snapshot, c content) {
			if s.Student == nil {
				s.Student = new(Student)
			}
			get(s.Student, c.data.([]T))
		}, true}
}

// number returns a field of one float64.
func number(name string, at func(*Student) *float64) field {
	return student(name, Float64, 1, func(st *Student) []float64 { return []float64{*at(st)} },
		func(st *Student, v []float64) { *at(st) = v[0] })
}

// heavyBlocks checks that a file contains all blocks of heavy tails or none, and none in a file of
// version 1, whose readers do not know them.
func heavyBlocks(blocks []Block, format uint32) error {
	found := 0
	for _, b := range blocks {
		if f := byName[b.Name]; f == nil || !f.heavy {
			continue
		}
		if found++; format < 2 {
			return b.corrupt("is not known to format version %d", format)
		}
	}
	if found != 0 && found != len(heavy) {
		return &FormatError{ErrCorrupt, "directory", headerSize, fmt.Sprintf("there are %d of the %d blocks of heavy tails", found, len(heavy))}
	}
	return nil
}

// validate checks the numbers for n points. Places of events are sums over 1/(delta^2 + sigma^2 +
// ...), so they are finite if these numbers are positive and finite.
func (st *Student) validate(n int) error {
	if st == nil {
		return nil
	}
	for _, c := range []struct {
		name string
		v    float64
		ok   bool
	}{
		{"the tails' shape", st.Tail, st.Tail >= Least},
		{"the unit of squared distances", st.Unit, st.Unit >= Least},
		{"the least squared scale", st.Clip[0], st.Clip[0] > 0},
		{"the largest squared scale", min(st.Clip[1], Largest), st.Clip[1] >= st.Clip[0] && st.Clip[1] <= math.MaxFloat64},
		{"the weight of a dissimilar pair", st.Weight, st.Weight >= 0},
		{"the accuracy of pair sums", st.Theta, st.Theta >= 0},
	} {
		if !c.ok || c.v > Largest {
			return fmt.Errorf("student: %s is %g", c.name, c.v)
		}
	}
	if !slices.Contains([]string{"all", "map", "shared", "anchors"}, st.Field) {
		return fmt.Errorf("student: unknown kind of pair sums, %q", st.Field)
	}
	if len(st.Error2) != n {
		return fmt.Errorf("student: %d standard errors for %d reference points", len(st.Error2), n)
	}
	if err := finite("student.error2", st.Error2); err != nil {
		return err
	}
	return positive("student.error2", st.Error2)
}
