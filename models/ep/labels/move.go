package labels

import (
	"fmt"

	"unfold/internal/vec"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// partFrame is the part of a snapshot with the motion from the map to the frame in which a
// classifier of the whole map was learnt: the place of the origin, then the images of the d unit
// vectors, (d+1) x d. Without it both frames are the same.
const partFrame = "labels.frame"

// Move keeps the classifier of a snapshot valid after its places were moved by m. It affects only
// classifiers of the whole map, which are learnt with the map instead of from its places. Such a
// classifier cannot itself be rotated, because its dimensions have different length scales.
func Move(s *snapshot.Snapshot, m placing.Motion) error {
	if _, whole := s.Part(partNames); !whole {
		return nil
	}
	d := s.Mu.Cols
	old, err := readFrame(s)
	if err != nil {
		return err
	}
	frame := vec.New[float64](d+1, d)
	for r := range frame.Rows {
		if r > 0 {
			frame.Row(r)[r-1] = 1
		}
		m.Back(frame.Row(r))
		old.apply(frame.Row(r))
	}
	for r := range d {
		vec.Axpy(-1, frame.Row(0), frame.Row(r+1))
	}
	parts := make([]snapshot.Part, 0, len(s.Parts)+1)
	for _, p := range s.Parts {
		if p.Name != partFrame {
			parts = append(parts, p)
		}
	}
	s.Parts = append(parts, snapshot.Part{Name: partFrame, Rows: d + 1, Cols: d, Data: frame.Data})
	return nil
}

// affine maps places to the frame of learning; nil is the identity.
type affine []float64

func readFrame(s *snapshot.Snapshot) (affine, error) {
	if _, moved := s.Part(partFrame); !moved {
		return nil, nil
	}
	frame, err := snapshot.PartOf[float64](s, partFrame, s.Mu.Cols+1, s.Mu.Cols)
	if err != nil {
		return nil, err
	}
	if !vec.Finite(frame) {
		return nil, fmt.Errorf("part %s has a value that is not finite", partFrame)
	}
	return frame, nil
}

func (f affine) apply(x []float64) {
	if f == nil {
		return
	}
	d := len(x)
	out := make([]float64, d)
	copy(out, f[:d])
	for q, v := range x {
		vec.Axpy(v, f[(q+1)*d:][:d], out)
	}
	copy(x, out)
}
