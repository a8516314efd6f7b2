package saul

import "testing"

func TestLevel(t *testing.T) {
	for _, c := range []struct {
		level Level
		n, l  int
	}{
		{LevelAuto, 1000, 0}, {LevelAuto, 1001, 1}, {LevelAuto, 200_000, 1}, {LevelAuto, 200_001, 2},
		{NoCoarseGraining, 1_000_000, 0}, {3, 10, 3}, {LevelOf(0), 5000, 0}, {LevelOf(2), 5, 2}, {LevelOf(-1), 5000, 1},
	} {
		if got := c.level.Resolve(c.n); got != c.l {
			t.Errorf("level %d for %d points resolves to %d, want %d", c.level, c.n, got, c.l)
		}
	}
}
