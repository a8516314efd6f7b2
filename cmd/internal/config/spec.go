package config

import (
	"encoding"
	"errors"
	"fmt"
	"slices"

	"unfold/models"
	"unfold/models/fit"
	"unfold/models/gplvm"
	"unfold/models/lllvm"
	"unfold/models/lvm"
	"unfold/models/placing"
	"unfold/models/saul"
	"unfold/models/student"
	"unfold/sparse/knn/auto"
)

// Spec is what the model's settings mean to package fit.
func (m Model) Spec() fit.Spec {
	c := models.Common{Dims: m.Dims, Neighbors: m.Neighbors[0], Seed: m.Seed, Threads: m.Threads, Search: m.SearchSettings()}
	switch {
	case m.Steps > 0:
		c.Steps = int(m.Steps)
	case m.Steps == 0:
		c.Steps = -1 // the word for none there
	}
	own := lllvm.Options{
		Points: int(m.Points), Restarts: m.Restarts, Alpha: float64(m.Alpha), LearnAlpha: m.LearnAlpha, Epsilon: float64(m.Epsilon),
		Patch: int(m.Patch),
	}
	if m.Neighbors[1] > m.Neighbors[0] {
		own.MaxNeighbors = m.Neighbors[1]
	}
	var parts saul.Components
	choose(&parts, m.Components)
	own.Largest = parts == saul.Largest
	spec := fit.Spec{Kind: m.Kind, PCA: int(m.PCA), Common: c, LVM: m.latent()}
	switch m.Kind {
	case fit.LLLVM:
		spec.LLLVM = own
	case fit.GPLVM:
		spec.GPLVM = gplvm.Options{Points: int(m.Points), Restarts: m.Restarts, Kernel: m.Kernel, Smooth: m.Smooth, Start: m.Start, Optimizer: m.Optimizer, Active: m.Active, Jumps: m.Jumps}
	}
	return spec
}

// latent are the settings of kind lvm, of both models: the one that is not chosen checks
// that its own are left at their defaults.
func (m Model) latent() lvm.Options {
	var o lvm.Options
	choose(&o.Tails, m.Tails)
	o.Student = student.Options{
		Momentum: m.Momentum, NoMomentum: m.Momentum == 0,
		Tail: float64(m.Tail), Weight: float64(m.Weight), Theta: float64(m.Theta), Thorough: m.Thorough,
	}
	choose(&o.Student.Coarse, m.Coarse)
	choose(&o.Student.Scales, m.Scales)
	choose(&o.Student.Sigma, m.Sigma)
	o.Saul = saul.Options{
		Momentum: m.Momentum, NoMomentum: m.Momentum == 0, Coarse: o.Student.Coarse,
		Core: m.Core, Level: saul.LevelOf(int(m.Level)),
	}
	choose(&o.Saul.Components, m.Components)
	return o
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
func (m Model) Rule() (placing.Rule, error) {
	r, err := placing.ParseRule(m.Place)
	if err != nil {
		return r, err
	}
	if m.Kind == fit.LVM {
		_, err = lvm.ResolveRule(r, m.Spec().LVM.Tails, m.Dims)
	}
	return r, err
}

// Problem says what is wrong with the model's settings beyond what each value's
// own form shows: above all those that do not go with the tails chosen.
func (m Model) Problem() (p Problem, wrong bool) {
	if p, wrong = m.foreign(); wrong {
		return p, true
	}
	err := m.Spec().Check()
	if err == nil {
		_, err = m.Rule()
	}
	if err == nil {
		return p, false
	}
	var s *models.SettingError
	if !errors.As(err, &s) {
		return Problem{Key: "model", Message: err.Error()}, true
	}
	return Problem{Key: "model." + s.Name, Message: s.Problem}, true
}

// only lists the settings that do not go with every kind of model.
var only = map[string][]string{
	fit.LVM:   {"tails", "coarse", "scales", "weight", "tail", "sigma", "theta", "thorough", "core", "level", "momentum", "place"},
	fit.LLLVM: {"points", "restarts", "patch", "alpha", "learn_alpha", "epsilon"},
	fit.GPLVM: {"points", "restarts", "kernel", "start", "optimizer", "active", "jumps", "smooth"},
}

// foreign finds a setting of another kind of model that is not at its default.
func (m Model) foreign() (p Problem, found bool) {
	c := Config{Model: m}
	for _, kind := range fit.Kinds() {
		for _, name := range only[kind] {
			k, _ := Find("model." + name)
			at := k.Text(&c)
			if k.Bool && at == "false" {
				at = ""
			}
			if kind != m.Kind && !slices.Contains(only[m.Kind], name) && at != k.Default {
				return Problem{Key: k.Path, Message: fmt.Sprintf("it goes with kind %s, not with %s; leave it out", kind, m.Kind)}, true
			}
		}
	}
	if m.Kind != fit.LLLVM && m.Neighbors[0] != m.Neighbors[1] {
		return Problem{Key: "model.neighbors", Message: fmt.Sprintf("a range goes with kind %s, not with %s; give one number", fit.LLLVM, m.Kind)}, true
	}
	return Problem{}, false
}
