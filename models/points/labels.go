package points

import (
	"encoding/json"
	"slices"

	"unfold/models"
	"unfold/models/score"
	"unfold/models/snapshot"
)

// Labels returns the labels of n points from those of their rows. of[i] is the point of row i, and
// "" means no label. A point gets the label of more than half of its labelled rows, or "" if no
// label has such a majority.
func Labels(label []string, of []int32, n int) []string {
	out, votes := make([]string, n), make([]int, n)
	poll := func(open bool) {
		for i, p := range of {
			switch l := label[i]; {
			case l == "":
			case open && votes[p] == 0:
				out[p], votes[p] = l, 1
			case out[p] == l:
				votes[p]++
			default:
				votes[p]--
			}
		}
	}
	// The vote of Boyer and Moore leaves the only label that can have a majority; a second pass
	// counts whether it has.
	poll(true)
	clear(votes)
	poll(false)
	for p, lead := range votes {
		if lead <= 0 {
			out[p] = ""
		}
	}
	return out
}

// These parts of a snapshot store the labels of points, so that a continued map can learn with
// them.
const (
	partNames = "supervision.labels" // JSON, a list of the labels
	partClass = "supervision.class"  // of each point 1 + the number of its label there, 0 without one
)

// labelParts returns the labels of points as parts of a snapshot.
func labelParts(label []string) ([]snapshot.Part, error) {
	class, names := score.Classes(label)
	text, err := json.Marshal(append([]string{}, names...))
	if err != nil {
		return nil, err
	}
	number := make([]uint32, len(class))
	for i, c := range class {
		if c != score.Missing {
			number[i] = uint32(c) + 1
		}
	}
	return []snapshot.Part{
		{Name: partNames, Rows: len(text), Cols: 1, Data: text}, {Name: partClass, Rows: len(number), Cols: 1, Data: number},
	}, nil
}

// LabelsOf returns the labels that a map was learnt with, one for each point, "" for points without
// one. It returns nil if the map was learnt without labels. Parts that do not match the map are bad
// input.
func LabelsOf(s *snapshot.Snapshot) ([]string, error) {
	if _, there := s.Part(partNames); !there {
		return nil, nil
	}
	var names []string
	text, err := snapshot.PartOf[byte](s, partNames, 0, 1)
	if err == nil {
		err = json.Unmarshal(text, &names)
	}
	if err != nil {
		return nil, models.BadInputf("the model file's labels cannot be used: %w", err)
	}
	number, err := snapshot.PartOf[uint32](s, partClass, s.Reference.Rows, 1)
	if err != nil {
		return nil, models.BadInputf("the model file's labels cannot be used: %w", err)
	}
	if most := slices.Max(number); uint64(most) > uint64(len(names)) {
		return nil, models.BadInputf("the model file's labels cannot be used: a point has number %d of %d", most, len(names))
	}
	out := make([]string, len(number))
	for i, k := range number {
		if k > 0 {
			out[i] = names[k-1]
		}
	}
	return out, nil
}
