package placing

import (
	"fmt"

	"unfold/models/snapshot"
)

// These parts of a model file exist for all kinds that learn a sample of m of the reference points,
// of q elements each:
//
//	learnt   uint32, m        their indices, ascending
//	frame    float64, 1 + q   Units: Scale, Shift
const (
	partLearnt = "learnt"
	partUnits  = "frame"
)

// Parts returns the parts of a model file for a sample and the model's units.
func Parts(learnt []int32, u Units) []snapshot.Part {
	return []snapshot.Part{
		Numbers(partLearnt, learnt),
		{Name: partUnits, Rows: 1 + len(u.Shift), Cols: 1, Data: append([]float64{u.Scale}, u.Shift...)},
	}
}

// Read reads a sample and units from a snapshot, which must be valid.
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

// Numbers returns the part of a model file for ascending indices of points.
func Numbers(name string, list []int32) snapshot.Part {
	rows := make([]uint32, len(list))
	for l, i := range list {
		rows[l] = uint32(i)
	}
	return snapshot.Part{Name: name, Rows: len(rows), Cols: 1, Data: rows}
}

// ReadNumbers reads such a part from a snapshot. It returns an error unless the indices ascend and
// are below n.
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
