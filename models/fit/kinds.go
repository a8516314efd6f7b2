package fit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/classic/baseline"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// registry lists the program's own models, the default first.
var registry = []Kind{
	latentVariable, locallyLinear, gaussianProcess,
	textbook(baseline.PCA, "; textbook methods to compare with are pca, principal components"),
	textbook(baseline.Isomap, ", isomap, by lengths of paths"),
	textbook(baseline.LLE, ", lle, by locally linear weights"),
	textbook(baseline.KernelPCA, ", kpca, by Gaussian kernels"),
	textbook(baseline.MDS, ", mds, by distances"),
	textbook(baseline.Eigenmaps, ", eigenmaps, by the Laplacian of the neighbours' graph"),
	textbook(baseline.LTSA, ", ltsa, by aligned tangent planes"),
	textbook(baseline.Sammon, ", sammon, by distances, of which short ones count more"),
	textbook(baseline.NonMetric, ", nmds, by the order of distances"),
	textbook(baseline.GTM, ", and gtm, the generative topographic mapping"),
}

// Kinds are the kinds that a Spec, a configuration or a snapshot may name. The zero value are the
// program's own kinds, those of the registry. A Kinds is immutable and comparable, which makes a
// Spec comparable, too.
type Kinds struct{ list *[]Kind }

// With returns the program's own kinds followed by more.
func With(more ...Kind) Kinds {
	if len(more) == 0 {
		return Kinds{}
	}
	list := slices.Concat(registry, more)
	return Kinds{&list}
}

// all lists the kinds, the default first.
func (k Kinds) all() []Kind {
	if k.list == nil {
		return registry
	}
	return *k.list
}

// Names lists the names of the kinds, the default first.
func (k Kinds) Names() []string {
	var names []string
	for _, kind := range k.all() {
		names = append(names, kind.Name)
	}
	return names
}

// Find returns the kind with the given name. The empty name stands for the default.
func (k Kinds) Find(name string) (Kind, error) {
	for _, kind := range k.all() {
		if kind.Name == name || name == "" {
			return kind, nil
		}
	}
	return Kind{}, fmt.Errorf("kind %q is unknown; the kinds are %s", name, strings.Join(k.Names(), ", "))
}

// Open prepares placing with the kind of model that s names. It rejects a model that places events
// at values that are not finite.
func (k Kinds) Open(s *snapshot.Snapshot, o placing.Options) (models.Placer, error) {
	if kind, err := k.Find(s.Kind); err == nil {
		p, err := kind.Open(s, o)
		if err == nil {
			err = placing.Probe(s, func(x vec.Matrix[float32]) error { _, err := p.Place(context.Background(), x); return err })
		}
		if err != nil {
			return nil, err
		}
		return p, nil
	}
	return nil, models.BadInputf("the model file holds a model of kind %q, this program knows %s: it may have been written by a newer unfold", s.Kind, strings.Join(k.Names(), ", "))
}

// Describe describes a snapshot in terms of its kind of model. The snapshot must be one that Open
// accepts.
func (k Kinds) Describe(s *snapshot.Snapshot) []Line {
	kind, err := k.Find(s.Kind)
	if err != nil || kind.Describe == nil {
		return nil
	}
	return kind.Describe(s)
}

// Open prepares placing with the kind of model that s names, which must be one of the program's
// own.
func Open(s *snapshot.Snapshot, o placing.Options) (models.Placer, error) { return Kinds{}.Open(s, o) }
