package fit

import (
	"cmp"
	"encoding/json"
	"fmt"

	"unfold/models"
	"unfold/models/classic/gplvm"
	"unfold/models/classic/lllvm"
	"unfold/models/lvm"
	"unfold/models/novelty"
	"unfold/models/snapshot"
	"unfold/sparse/distance"
)

// LVM is Saul's latent variable model, package lvm.
const LVM = lvm.Kind

// The special values of Spec.PCA.
const (
	// PCAAuto projects vectors of more than DefaultPCA elements onto principal components and
	// leaves others unchanged. Kind LVM uses as many components as the rows need (Spec.Choose),
	// other kinds DefaultPCA.
	PCAAuto = 0
	// PCANone never projects.
	PCANone = -1
	// DefaultPCA is the least number of components that PCAAuto projects onto.
	DefaultPCA = 50
)

// Spec specifies a fit. The zero value works. It is stored as JSON in Snapshot.Settings
// (specFile).
type Spec struct {
	// Kinds are the kinds that Kind may name. They are not stored.
	Kinds Kinds
	// Kind is the model's name; empty means the first of Kinds.
	Kind string
	// PCA is PCAAuto, PCANone, or the number of principal components.
	PCA int
	// NoveltyK is the number of neighbours from which novelty is computed. Default
	// novelty.DefaultK.
	NoveltyK int
	// Common are the settings of all kinds. Seed, Threads and Search apply to all stages.
	models.Common
	// LVM, LLLVM and GPLVM are the settings of one kind each.
	LVM   lvm.Options
	LLLVM lllvm.Options
	GPLVM gplvm.Options
	// Own are the settings of a kind that has no field above. They are stored as JSON
	// under the kind's name.
	Own Settings
}

// Latent returns the settings of kind LVM.
func (s Spec) Latent() lvm.Settings { return lvm.Settings{Common: s.Common, Options: s.LVM} }

// Resolve fills in the defaults for vectors of dim elements and validates the spec. If the number
// of principal components depends on the rows, it takes the largest that they may choose.
// Afterwards Kind is a name, PCA is PCANone or a number of components, and NoveltyK is positive.
// The kind resolves its own settings.
func (s Spec) Resolve(dim int) (Spec, error) {
	k, err := s.Kinds.Find(s.Kind)
	if err != nil {
		return s, err
	}
	s.Kind = k.Name
	switch {
	case s.PCA == PCAAuto && (s.Distance != distance.Euclidean || s.binary()):
		s.PCA = PCANone
	case s.RowsChoose(dim):
		if s.PCA = PCANone; dim > MostPCA {
			s.PCA = MostPCA
		}
	case s.PCA == PCAAuto && dim > DefaultPCA:
		s.PCA = DefaultPCA
	case s.PCA == PCAAuto:
		s.PCA = PCANone
	case s.PCA < PCANone:
		return s, fmt.Errorf("pca is %d: want a number of components, %d for automatic or %d for none", s.PCA, PCAAuto, PCANone)
	case s.checkBinary() != nil:
		return s, models.BadInputf("%w", s.checkBinary())
	case s.PCA > dim:
		return s, models.BadInputf("pca is %d, but vectors have %d elements: want at most that, or %d for none", s.PCA, dim, PCANone)
	}
	if s.NoveltyK == 0 {
		s.NoveltyK = novelty.DefaultK
	}
	if s.NoveltyK < 1 {
		return s, fmt.Errorf("%d neighbours for novelty, want at least 1", s.NoveltyK)
	}
	return s, s.checkDistance(k)
}

// checkDistance returns a *models.SettingError if the distance is not Euclidean but the kind or the
// projection requires that.
func (s Spec) checkDistance(k Kind) error {
	if s.Distance == distance.Euclidean {
		return nil
	}
	return cmp.Or(
		models.Require(k.Distances, "kind", "kind %s goes with Euclidean distances, not with the metric %v: choose kind %s", k.Name, s.Distance, LVM),
		models.Require(s.PCA <= 0, "pca", "principal components are for Euclidean distances, and the metric %v is one of rows as they are: leave it out", s.Distance),
	)
}

// Matches returns an error that matches models.ErrBadInput unless the map m agrees with the spec in
// kind, dimensions and distance.
func (s Spec) Matches(m *snapshot.Snapshot) error {
	s, err := s.Resolve(m.Dim)
	if err != nil {
		return err
	}
	if dims := s.MapDims(); s.Kind != m.Kind || dims != m.Mu.Cols {
		return models.BadInputf("it is of kind %s in %d dimensions, the settings say %s in %d", m.Kind, m.Mu.Cols, s.Kind, dims)
	}
	if s.Distance != m.Distance {
		return models.BadInputf("it was learnt by the distance %v, the settings say %v", m.Distance, s.Distance)
	}
	return nil
}

// ParseSpec reads the Spec with which a snapshot was learnt. Older snapshots name no tails; theirs
// are Gaussian.
func (k Kinds) ParseSpec(s *snapshot.Snapshot) (Spec, error) {
	spec := Spec{Kinds: k, LVM: lvm.Options{Tails: lvm.Gaussian}}
	if err := json.Unmarshal(s.Settings, &spec); err != nil {
		return spec, models.BadInputf("the model file's settings cannot be read: %w", err)
	}
	spec.Distance = s.Distance
	return spec, nil
}

// ParseSpec reads the Spec with which a snapshot of one of the program's own kinds was learnt.
func ParseSpec(s *snapshot.Snapshot) (Spec, error) { return Kinds{}.ParseSpec(s) }
