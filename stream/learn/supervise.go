package learn

import (
	"math"

	"unfold/models/points"
	"unfold/models/snapshot"
	"unfold/stream/reference"
)

// supervised reports whether labels are used for learning.
func (s Settings) supervised() bool {
	return s.Spec.Supervised() && s.Mapping.Label != ""
}

// trains reports whether a classifier is learnt for every map, from a pool of labelled events. That
// is not the case if maps predict classes by themselves.
func (s Settings) trains() bool { return s.Classify && !s.Spec.PredictsClasses() }

// labelsOf returns the labels of the vectors in changes to a reference set, "" for those without
// one, or nil without supervision. The caller must hold the lock, or no other goroutine may be
// running.
func (in *intake) labelsOf(ref *reference.Set, c reference.Changes) []string {
	if !in.set.supervised() {
		return nil
	}
	out := make([]string, c.X.Rows)
	for i := range out {
		if p, there := ref.Point(c, i); there {
			out[i] = in.labelAt(ref, p)
		}
	}
	return out
}

// labels returns the slots of the points on the map and their labels, "" for those without one.
// Labels may have changed since the last call. The caller must hold the lock.
func (in *intake) labels() (slots []int32, label []string) {
	for p := range in.ref.All() {
		if slot := in.ref.Slot(p); slot >= 0 {
			slots, label = append(slots, slot), append(label, in.labelAt(in.ref, p))
		}
	}
	return slots, label
}

// labelAt returns the label of a point from the number in its note.
func (in *intake) labelAt(ref *reference.Set, p int32) string {
	note := ref.Note(p)
	k := float64(note[len(note)-1])
	if math.IsNaN(k) || k == noClass {
		return ""
	}
	return in.prequential.names[int(k)]
}

// relabel sets the notes of points that are rebuilt from a map with labels.
func (l *Learner) relabel(v *reference.Saved, s *snapshot.Snapshot) error {
	label, err := points.LabelsOf(s)
	if err != nil || label == nil || !l.set.supervised() {
		return err
	}
	for i, row := range v.Row {
		note := v.Notes.Row(i)
		note[len(note)-1] = float32(l.prequential.class(label[row]))
	}
	return nil
}
