package fit

import (
	"bytes"
	"context"
	"reflect"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/live"
	"unfold/models/lvm"
	"unfold/models/modeltest"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// A map that will follow its points is learnt as any other. With the final number of points it
// equals the map of Fit, bit by bit, and continues from its own snapshot.
func TestFollowIsFit(t *testing.T) {
	ctx, x := context.Background(), modeltest.Events(7, 150, 8)
	copy(x.Row(9), x.Row(3))
	const distinct = 149
	tests := []struct {
		name string
		spec Spec
	}{
		{"student", Spec{PCA: 5, Common: models.Common{Steps: 20, Seed: 3}}},
		{"gaussian", Spec{Common: models.Common{Steps: 10, Seed: 3}, LVM: lvm.Options{Tails: lvm.Gaussian}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want, r, err := Fit(ctx, x, tt.spec, nil)
			if err != nil {
				t.Fatal(err)
			}
			set := live.Settings{}
			f, fr, err := Follow(ctx, x, tt.spec, set, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := f.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(fr.Row, r.Row) || !reflect.DeepEqual(fr.Placed, r.Placed) {
				t.Error("the rows are elsewhere on a map that follows")
			}
			same := *got
			same.Settings = want.Settings // the settings of later refreshes
			if !bytes.Equal(written(t, &same), written(t, want)) {
				t.Error("a map that follows differs from one that does not")
			}
			// The map continues, and so does one made from its snapshot.
			again, err := Resume(ctx, got, f.State(), tt.spec, set)
			if err != nil {
				t.Fatal(err)
			}
			more := modeltest.Events(8, 12, 8)
			var snapshots [2][]byte
			for k, m := range []*Followed{f, again} {
				if _, err := m.Change(ctx, []int32{1, 5}, more, vec.Matrix[float64]{}); err != nil {
					t.Fatal(err)
				}
				if _, err := m.Refresh(ctx); err != nil {
					t.Fatal(err)
				}
				s, err := m.Snapshot()
				if err != nil {
					t.Fatal(err)
				}
				snapshots[k] = written(t, s)
				if s.Version != 2 || s.Reference.Rows != distinct-2+12 || s.Dim != 8 {
					t.Errorf("version %d of %d points of %d values", s.Version, s.Reference.Rows, s.Dim)
				}
				if _, err := Open(s, placing.Options{}); err != nil {
					t.Error(err)
				}
			}
			if !bytes.Equal(snapshots[0], snapshots[1]) {
				t.Error("a map goes on otherwise after Resume")
			}
		})
	}
}

func TestFollowRefuses(t *testing.T) {
	ctx, x := context.Background(), modeltest.Events(7, 60, 4)
	if _, _, err := Follow(ctx, x, Spec{Kind: LLLVM}, live.Settings{}, nil); err == nil {
		t.Error("a kind whose maps do not follow was followed")
	}
	s, _, err := Fit(ctx, x, Spec{Common: models.Common{Steps: 5}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, spec := range map[string]Spec{
		"kind":  {Kind: GPLVM},
		"dims":  {Common: models.Common{Dims: 3}},
		"tails": {LVM: lvm.Options{Tails: lvm.Gaussian}},
	} {
		if _, err := Resume(ctx, s, live.State{}, spec, live.Settings{}); err == nil {
			t.Errorf("a map goes on with another %s", name)
		}
	}
}

func written(t *testing.T, s *snapshot.Snapshot) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := snapshot.Write(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
