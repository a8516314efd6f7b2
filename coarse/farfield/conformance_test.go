package farfield_test

import (
	"testing"

	"unfold/coarse/farfield"
	"unfold/coarse/farfield/fieldtest"
)

// sizes returns a number of points at which the default settings no longer compute all pairs.
func sizes(name string) []int {
	if name == "default" {
		return []int{2101}
	}
	return nil
}

// bytes returns an upper bound of the memory per point with default settings.
func bytes(name string, most int64) int64 {
	if name == "default" {
		return most
	}
	return 0
}

func TestAll(t *testing.T) {
	fieldtest.Run(t, fieldtest.Traits{Whole: true, Bytes: 60}, func(delta2 []float64, dims int) farfield.Field {
		return farfield.NewAll(delta2, dims)
	})
}

func TestCells(t *testing.T) {
	for name, s := range map[string]farfield.CellSettings{
		"default":  {},
		"groups":   {Exact: -1},
		"coarse":   {Exact: -1, Theta: 1, Leaf: 10, Cell: 3},
		"fine":     {Exact: -1, Theta: 0.05, Leaf: 200, Cell: 5},
		"smallest": {Exact: -1, Leaf: 2, Cell: 2},
	} {
		t.Run(name, func(t *testing.T) {
			fieldtest.Run(t, fieldtest.Traits{Whole: true, Sizes: sizes(name), Bytes: bytes(name, 150)}, func(delta2 []float64, dims int) farfield.Field {
				return farfield.NewCells(delta2, dims, s)
			})
		})
	}
}

func TestShared(t *testing.T) {
	for name, s := range map[string]farfield.SharedSettings{
		"default": {},
		"sampled": {Exact: -1, Sources: 20, Seed: 5},
		"small":   {Exact: -1, Sources: 1, Block: 3},
	} {
		t.Run(name, func(t *testing.T) {
			fieldtest.Run(t, fieldtest.Traits{Sizes: sizes(name), Bytes: bytes(name, 60)}, func(delta2 []float64, dims int) farfield.Field {
				return farfield.NewShared(delta2, dims, s)
			})
		})
	}
}
