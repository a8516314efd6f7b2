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
	rows := make([]uint32, len(learnt))
	for l, i := range learnt {
		rows[l] = uint32(i)
	}
	return []snapshot.Part{
		{Name: partLearnt, Rows: len(rows), Cols: 1, Data: rows},
		{Name: partUnits, Rows: 1 + len(u.Shift), Cols: 1, Data: append([]float64{u.Scale}, u.Shift...)},
	}
}

// Read takes them from a snapshot, which has to be valid.
func Read(s *snapshot.Snapshot) (learnt []int32, u Units, err error) {
	rows, err := snapshot.PartOf[uint32](s, partLearnt, 0, 1)
	if err != nil {
		return nil, u, err
	}
	learnt = make([]int32, len(rows))
	for l, i := range rows {
		if int(i) >= s.Reference.Rows || l > 0 && i <= rows[l-1] {
			return nil, u, fmt.Errorf("learnt point %d is reference point %d of %d", l, i, s.Reference.Rows)
		}
		learnt[l] = int32(i)
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
