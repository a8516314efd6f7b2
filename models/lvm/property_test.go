package lvm

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"unfold/models"
	"unfold/models/modeltest"
	"unfold/models/saul"
	"unfold/models/student"
)

// TestThreadsDoNotMatter: results are the same bits for any number of threads, with blocks large
// enough for strips and for several pieces of rows.
func TestThreadsDoNotMatter(t *testing.T) {
	x := modeltest.Blobs(3000, 4, 4)
	for name, c := range map[string]struct {
		n int
		s Settings
	}{
		"gaussian, exact":   {700, Settings{Common: models.Common{Steps: 3}, Options: Options{Tails: Gaussian, Saul: saul.Options{Level: saul.NoCoarseGraining}}}},
		"gaussian, level 1": {3000, Settings{Common: models.Common{Steps: 3}, Options: Options{Tails: Gaussian, Saul: saul.Options{Level: 1}}}},
		"gaussian, level 2": {3000, Settings{Common: models.Common{Steps: 3}, Options: Options{Tails: Gaussian, Saul: saul.Options{Level: 2}}}},
		"all":               {700, Settings{Common: models.Common{Steps: 4}}},
		"map":               {2100, Settings{Common: models.Common{Steps: 4}}},
		"map, d = 3":        {2100, Settings{Common: models.Common{Steps: 3, Dims: 3}, Options: Options{Student: student.Options{Sigma: student.Free}}}},
		"shared":            {2100, Settings{Common: models.Common{Steps: 3, Dims: 10}}},
	} {
		var first *Result
		for _, threads := range []int{1, 7} {
			c.s.Threads = threads
			r, err := Fit(context.Background(), x.Slice(0, c.n), c.s, nil)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = r
				continue
			}
			if r.Report.Loglik != first.Report.Loglik || !slices.Equal(r.Mu.Data, first.Mu.Data) || !slices.Equal(r.Sigma2, first.Sigma2) ||
				!reflect.DeepEqual(r.Student, first.Student) {
				t.Errorf("%s: %d threads give another map", name, threads)
			}
		}
	}
}
