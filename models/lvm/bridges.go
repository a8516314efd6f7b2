package lvm

import (
	"unfold/models"
	"unfold/models/snapshot"
)

// These parts of a model file list the edges that connect otherwise separate parts (models.Report):
//
//	bridges          uint32, b x 2   the points that each joins
//	bridges.lengths  float64, b      the distances between these points
const (
	partBridges = "bridges"
	partLengths = "bridges.lengths"
)

// bridgeParts returns the edges that were added to join components as parts of a snapshot. of has
// the point of each row; nil means that point i is row i.
func bridgeParts(bridges []models.Bridge, of []int32) []snapshot.Part {
	if len(bridges) == 0 {
		return nil
	}
	points, lengths := make([]uint32, 0, 2*len(bridges)), make([]float64, 0, len(bridges))
	for _, b := range bridges {
		for _, row := range []int{b.Row, b.Other} {
			if of != nil {
				row = int(of[row])
			}
			points = append(points, uint32(row))
		}
		lengths = append(lengths, b.Distance)
	}
	return []snapshot.Part{{Name: partBridges, Rows: len(bridges), Cols: 2, Data: points}, {Name: partLengths, Rows: len(bridges), Cols: 1, Data: lengths}}
}

// Bridges returns the edges of a map with Gaussian tails that connect otherwise separate parts, as
// pairs of points; nil if there are none. Parts that do not match the map match models.ErrBadInput.
func Bridges(s *snapshot.Snapshot) ([]models.Bridge, error) {
	if _, there := s.Part(partBridges); !there {
		return nil, nil
	}
	points, err := snapshot.PartOf[uint32](s, partBridges, 0, 2)
	if err != nil {
		return nil, models.BadInputf("lvm: %w", err)
	}
	lengths, err := snapshot.PartOf[float64](s, partLengths, len(points)/2, 1)
	if err != nil {
		return nil, models.BadInputf("lvm: %w", err)
	}
	out := make([]models.Bridge, len(lengths))
	for i, length := range lengths {
		a, b := points[2*i], points[2*i+1]
		if last := uint32(s.Mu.Rows); a >= last || b >= last {
			return nil, models.BadInputf("lvm: part %s: edge %d joins %d and %d of %d points", partBridges, i, a, b, last)
		}
		out[i] = models.Bridge{Row: int(a), Other: int(b), Distance: length}
	}
	return out, nil
}
