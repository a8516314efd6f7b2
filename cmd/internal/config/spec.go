package config

import (
	"encoding"
	"errors"
	"fmt"

	"unfold/models/kinds"
	"unfold/models/lvm"
	"unfold/sparse/knn/auto"
)

// Spec is what the model's settings mean to package kinds.
func (m Model) Spec() kinds.Spec {
	s := lvm.Settings{
		Dims: m.Dims, Neighbors: int(m.Neighbors), Core: m.Core, Level: lvm.LevelOf(int(m.Level)),
		Momentum: m.Momentum, NoMomentum: m.Momentum == 0, Seed: m.Seed, Threads: m.Threads,
		Tail: float64(m.Tail), Weight: float64(m.Weight), Theta: float64(m.Theta), Thorough: m.Thorough,
	}
	s.Search = m.SearchSettings()
	choose(&s.Tails, m.Tails)
	choose(&s.Coarse, m.Coarse)
	choose(&s.Scales, m.Scales)
	choose(&s.Sigma, m.Sigma)
	choose(&s.Components, m.Components)
	switch {
	case m.Steps > 0:
		s.Steps = int(m.Steps)
	case m.Steps == 0:
		s.Steps = -1 // lvm's word for none
	}
	return kinds.Spec{Kind: m.Kind, PCA: int(m.PCA), LVM: s}
}

// SearchSettings say how neighbours are found.
func (m Model) SearchSettings() auto.Settings {
	s := auto.Settings{Recall: float64(m.Recall)}
	choose(&s.Method, m.Search)
	return s
}

// choose sets a choice from its word, which is among the key's choices.
func choose(to encoding.TextUnmarshaler, word string) {
	if err := to.UnmarshalText([]byte(word)); err != nil {
		panic(fmt.Sprintf("config: a choice that the model does not have: %v", err))
	}
}

// Rule is how new points are placed.
func (m Model) Rule() (lvm.PlaceRule, error) {
	r, err := lvm.ParsePlaceRule(m.Place)
	if err != nil {
		return r, err
	}
	_, err = r.Resolve(m.Spec().LVM.Tails, m.Dims)
	return r, err
}

// Problem says what is wrong with the model's settings beyond what each value's
// own form tells: above all those that do not go with the tails chosen.
func (m Model) Problem() (p Problem, wrong bool) {
	err := m.Spec().Check()
	if err == nil {
		_, err = m.Rule()
	}
	if err == nil {
		return p, false
	}
	var s *lvm.SettingError
	if !errors.As(err, &s) {
		return Problem{Key: "model", Message: err.Error()}, true
	}
	return Problem{Key: "model." + s.Name, Message: s.Problem}, true
}
