package placing

import (
	"fmt"

	"unfold/models/snapshot"
)

// The parts of a model file that all kinds have which learn a sample of m of its
// reference points, in q elements:
//
//	learnt   uint32, m        their numbers, ascending
//	frame    float64, 1 + q   Units: Scale, Shift
const (
	partLearnt = "learnt"
	partUnits  = "frame"
)

// Parts are a sample and the model's units as a model file holds them.
func Parts(learnt []int32, u Units) []snapshot.Part {
	return []snapshot.Part{
		Numbers(partLearnt, learnt),
		{Name: partUnits, Rows: 1 + len(u.Shift), Cols: 1, Data: append([]float64{u.Scale}, u.Shift...)},
	}
}

// Read takes them from a snapshot, which has to be valid.
func Read(s *snapshot.Snapshot) (learnt []int32, u Units, err error) {
	if learnt, err = ReadNumbers(s, partLearnt, s.Reference.Rows); err != nil {
		return nil, u, err
	}
	units, err := snapshot.PartOf[float64](s, partUnits, 1+s.Reference.Cols, 1)
	if err != nil {
		return nil, u, err
	}
	if u = (Units{Scale: units[0], Shift: units[1:]}); !(u.Scale > 0) {
		return nil, u, fmt.Errorf("the scale %g has to be positive", u.Scale)
	}
	return learnt, u, nil
}

// Numbers are ascending numbers of points as a part of a model file.
func Numbers(name string, list []int32) snapshot.Part {
	rows := make([]uint32, len(list))
	for l, i := range list {
		rows[l] = uint32(i)
	}
	return snapshot.Part{Name: name, Rows: len(rows), Cols: 1, Data: rows}
}

// ReadNumbers takes them from a snapshot: those of some of n points.
func ReadNumbers(s *snapshot.Snapshot, name string, n int) ([]int32, error) {
	rows, err := snapshot.PartOf[uint32](s, name, 0, 1)
	if err != nil {
		return nil, err
	}
	list := make([]int32, len(rows))
	for l, i := range rows {
		if int(i) >= n || l > 0 && i <= rows[l-1] {
			return nil, fmt.Errorf("element %d of part %q is %d: want ascending numbers of %d points", l, name, i, n)
		}
		list[l] = int32(i)
	}
	return list, nil
}
