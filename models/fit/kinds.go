package fit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/baseline"
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

// Kinds are those that a Spec, a configuration or a snapshot may name. The zero value are
// the program's own, of the registry. It is immutable, and comparable as a Spec is.
type Kinds struct{ list *[]Kind }

// With returns the program's own kinds and more.
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

// Find returns the kind of that name; the empty name is the default.
func (k Kinds) Find(name string) (Kind, error) {
	for _, kind := range k.all() {
		if kind.Name == name || name == "" {
			return kind, nil
		}
	}
	return Kind{}, fmt.Errorf("kind %q: there is only %s", name, strings.Join(k.Names(), ", "))
}

// Open prepares placing against s by the kind of model that it names. It refuses a model whose
// numbers give places that are not finite.
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

// Describe says what only the snapshot's kind of model has to say of it, which can be
// opened (Open).
func (k Kinds) Describe(s *snapshot.Snapshot) []Line {
	kind, err := k.Find(s.Kind)
	if err != nil || kind.Describe == nil {
		return nil
	}
	return kind.Describe(s)
}

// Open prepares placing against s by the kind of model that it names, of the program's own.
func Open(s *snapshot.Snapshot, o placing.Options) (models.Placer, error) { return Kinds{}.Open(s, o) }
