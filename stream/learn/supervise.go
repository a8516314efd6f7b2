package learn

import (
	"math"

	"unfold/models/points"
	"unfold/models/snapshot"
	"unfold/stream/reference"
)

// supervised says whether labels take part in learning.
func (s Settings) supervised() bool {
	return s.Spec.LVM.Student.Supervision > 0 && s.Mapping.Label != ""
}

// labelsOf are the labels of the vectors of changes to a reference set, "" of those without
// one; nil if labels take no part in learning. The lock is held, or nobody else is at work.
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

// labels are the slots of the points that the map has, and their labels, "" of those without
// one: an event may have got another one since. The lock is held.
func (in *intake) labels() (slots []int32, label []string) {
	for p := range in.ref.All() {
		if slot := in.ref.Slot(p); slot >= 0 {
			slots, label = append(slots, slot), append(label, in.labelAt(in.ref, p))
		}
	}
	return slots, label
}

// labelAt is the label of a point, which its note has the number of.
func (in *intake) labelAt(ref *reference.Set, p int32) string {
	note := ref.Note(p)
	k := float64(note[len(note)-1])
	if math.IsNaN(k) || k == noClass {
		return ""
	}
	return in.prequential.names[int(k)]
}

// relabel notes the labels of points that come from a map alone, which has learnt by them.
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
