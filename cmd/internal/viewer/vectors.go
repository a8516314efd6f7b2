package viewer

import (
	"fmt"
	"net/http"

	"unfold/internal/vec"
)

// mostVectors bounds the vectors in a response, mostValues the values in them.
const (
	mostVectors = 100
	mostValues  = 1 << 18
)

// vectors sends the feature vectors of the points with the given ids, null for unknown ones. The page
// draws those that are pictures.
func (h *Handler) vectors(w http.ResponseWriter, r *http.Request) {
	ids := r.URL.Query()["id"]
	if len(ids) > mostVectors {
		http.Error(w, fmt.Sprintf("id: give it once for each point, at most %d times", mostVectors), http.StatusBadRequest)
		return
	}
	all := make([][]float32, len(ids))
	values := 0
	for i, id := range ids {
		if all[i] = h.set.vector(id); !vec.Finite(all[i]) {
			all[i] = nil // JSON has no NaN
		}
		if values += len(all[i]); values > mostValues {
			if i == 0 {
				http.Error(w, fmt.Sprintf("the vector has %d values, and a response may have %d", len(all[i]), mostValues), http.StatusRequestEntityTooLarge)
				return
			}
			all = all[:i] // the rest may be requested again
			break
		}
	}
	h.sendJSON(w, r, struct {
		Vectors [][]float32 `json:"vectors"`
	}{all})
}

// vector returns the feature vector of a point, nil if it is not known.
func (s *Settings) vector(id string) []float32 {
	if x, there := s.Hub.Vector(id); there {
		return x
	}
	if s.Vector == nil {
		return nil
	}
	return s.Vector(id)
}
