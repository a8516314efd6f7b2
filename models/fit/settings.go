package fit

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"

	"unfold/internal/setting"
	"unfold/models"
	"unfold/sparse/knn/auto"
)

// Settings are the settings of a model that only some kinds have, in text form. The type is a
// pointer to a struct whose tags declare the settings (package setting). Their names are flags,
// configuration keys and environment variables.
type Settings interface {
	// Apply sets the model's settings in a spec. The spec already contains the settings of g.
	Apply(g Given, s *Spec)
}

// Given are the settings that all kinds share, in text form.
type Given struct {
	Kind       string         `key:"kind" common:"true" default:"lvm"`
	Dims       setting.Span   `key:"dims" python:"n_components" common:"true" default:"2" help:"Dimensions of the map. With kind lllvm also a range, such as 1:5: the number with the best bound is chosen." placeholder:"N"`
	Neighbors  setting.Range  `key:"neighbors" python:"n_neighbors" common:"true" default:"auto" help:"Nearest neighbours that count as similar (k); auto is 8, with gaussian tails and with other kinds 9. With kind lllvm also a range, such as 6:15: the number with the best bound is chosen." placeholder:"K"`
	PCA        setting.PCA    `key:"pca" default:"auto" help:"Principal components to keep before the neighbour search: a number, auto (as many of 50 to 256 as keep the nearest neighbours of a sample, or none where few are spared; 50 with other kinds than lvm; none with --metric hamming or --noise probit), or none." placeholder:"N"`
	Search     string         `key:"search" default:"auto" choices:"auto,exact,hnsw,descent" help:"How neighbours are found: exact compares all pairs; hnsw is an index, which the model file stores to place new points; descent improves lists of neighbours step by step, and is for learning alone. auto decides by the number of points and of their values."`
	Recall     setting.Number `key:"recall" default:"auto" help:"Share of the true neighbours to be found, up to 1, which means an exact search; auto is 0.99 for learning and 0.995 for placing." placeholder:"X"`
	Steps      setting.Steps  `key:"steps" default:"auto" help:"Steps of learning; auto is 80 to 200, the more the fewer points there are, for more than 3 dimensions 50 to 200; with thorough two and a half times that; with gaussian tails 400." placeholder:"N"`
	Components string         `key:"components" default:"connect" choices:"connect,largest" help:"With gaussian tails or kind lllvm, if the neighbour graph has several parts: connect adds the shortest bridges; largest learns the largest part (among equal ones, that of the first row), and places the rest. With student tails all parts are learnt."`
	Seed       uint64         `key:"seed" python:"random_state" common:"true" default:"1" help:"Seed of all that is random." placeholder:"N"`
	Threads    int            `key:"threads" python:"n_jobs" common:"true" default:"0" help:"Threads that compute; 0 is one per core. The result does not depend on it." placeholder:"N" min:"0"`
}

// Spec converts the settings, with those of the kind, to a Spec.
func (g Given) Spec(own Settings) Spec {
	s := Spec{Kind: g.Kind, PCA: int(g.PCA), Common: models.Common{
		Dims: g.Dims[0], Neighbors: g.Neighbors[0], Seed: g.Seed, Threads: g.Threads, Search: g.SearchSettings(),
	}}
	switch {
	case g.Steps > 0:
		s.Steps = int(g.Steps)
	case g.Steps == 0:
		s.Steps = -1 // a Spec's value for no steps
	}
	if own != nil {
		own.Apply(g, &s)
	}
	return s
}

// SearchSettings returns the settings of the neighbour search.
func (g Given) SearchSettings() auto.Settings {
	s := auto.Settings{Recall: float64(g.Recall)}
	setChoice(&s.Method, g.Search)
	return s
}

// setChoice sets a choice from its name, which must be among the setting's choices.
func setChoice(to encoding.TextUnmarshaler, word string) {
	if err := to.UnmarshalText([]byte(word)); err != nil {
		panic(fmt.Sprintf("fit: a choice that the model does not have: %v", err))
	}
}

// NewSettings returns the settings of the named kind at their defaults; nil if it has none of its
// own.
func (k Kinds) NewSettings(name string) Settings {
	kind, err := k.Find(name)
	if err != nil || kind.Settings == nil {
		return nil
	}
	s := kind.Settings()
	for _, key := range kind.keys("", func(s any) any { return s }) {
		if key.Default == "" {
			continue
		}
		if err := key.Set(s, key.Default); err != nil {
			panic(fmt.Sprintf("fit: default of %s of kind %s: %v", key.Path, name, err))
		}
	}
	return s
}

// keys lists the kind's own settings below path. root maps the struct of all settings to theirs.
func (k Kind) keys(path string, root func(all any) any) []setting.Key {
	if k.Settings == nil {
		return nil
	}
	return setting.Of(reflect.TypeOf(k.Settings()).Elem(), path, root)
}

// AddKeys adds the settings that only some kinds have to a list that contains those of Given below
// path. own maps the struct of all settings to the settings of a kind, which have the type of
// NewSettings.
func (k Kinds) AddKeys(list []setting.Key, path string, own func(all any, kind string) Settings) []setting.Key {
	kinds := map[string][]string{} // the kinds with a setting, by its path
	for _, kind := range k.all() {
		keys := kind.keys(path, func(all any) any { return own(all, kind.Name) })
		for _, key := range keys {
			kinds[key.Path] = append(kinds[key.Path], kind.Name)
		}
		list = setting.Add(list, keys)
	}
	for i := range list {
		if with := kinds[list[i].Path]; len(with) > 0 && with[0] != k.all()[0].Name {
			list[i].Help = "With " + plural(with, "kind") + " " + strings.Join(with, ", ") + ": " + list[i].Help
		}
		if list[i].Path == path+".kind" {
			list[i].Choices, list[i].Help = k.Names(), "The model: "
			for _, kind := range k.all() {
				list[i].Help += kind.About
			}
			list[i].Help += "."
		}
	}
	return list
}

// With lists the kinds that have a setting of that name.
func (k Kinds) With(setting string) (names []string) {
	for _, kind := range k.all() {
		if kind.HasSetting(setting) {
			names = append(names, kind.Name)
		}
	}
	return names
}

// plural returns the word for the number of names.
func plural(names []string, word string) string {
	if len(names) == 1 {
		return word
	}
	return word + "s"
}

// HasSetting reports whether Given or the kind has a setting of that name.
func (k Kind) HasSetting(name string) bool {
	for _, key := range append(setting.Of(reflect.TypeFor[Given](), "", nil), k.keys("", nil)...) {
		if key.Name() == name {
			return true
		}
	}
	return false
}
