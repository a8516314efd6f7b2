package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"unfold/models"
	"unfold/models/fit"
	"unfold/models/lvm"
	"unfold/models/placing"
)

// Spec returns the model's settings in the form of package fit.
func (m Model) Spec() fit.Spec {
	s := m.Given.Spec(m.settings(m.Kind))
	s.Kinds = m.kinds
	return s
}

// Spec returns the settings in the form of package fit: the model's settings with the distance of
// the metric. If the metric needs whole vectors and no components are set, it disables principal
// components.
func (c *Config) Spec() fit.Spec {
	s := c.Model.Spec()
	s.Distance = c.Source.Metric.Distance()
	if s.PCA == fit.PCAAuto && c.Source.Metric.Whole() {
		s.PCA = fit.PCANone
	}
	return s
}

// Entry returns the kind of model that is set.
func (m Model) Entry() (fit.Kind, error) { return m.kinds.Find(m.Kind) }

// settings returns the settings of a kind, nil if it has none.
func (m *Model) settings(kind string) fit.Settings {
	s, there := m.own[kind]
	if !there {
		if s = m.kinds.NewSettings(kind); m.own == nil {
			m.own = map[string]fit.Settings{}
		}
		m.own[kind] = s
	}
	return s
}

// PlaceRule returns the placement rule that is set, for any kind of map.
func (m Model) PlaceRule() (placing.Rule, error) {
	c := Config{Model: m}
	k, _ := Find("model.place")
	return placing.ParseRule(k.Text(&c))
}

// Rule returns the rule for placing new points.
func (m Model) Rule() (placing.Rule, error) {
	r, err := m.PlaceRule()
	if err != nil {
		return r, err
	}
	if m.Kind == fit.LVM {
		_, err = lvm.ResolveRule(r, m.Spec().LVM.Tails, m.Dims[0])
	}
	return r, err
}

// Problem returns the first conflict between the model's settings, such as one with the tails. Each
// value alone was checked before.
func (m Model) Problem() (p Problem, wrong bool) {
	if p, wrong = m.foreign(); wrong {
		return p, true
	}
	err := m.Spec().Check()
	if err == nil {
		_, err = m.Rule()
	}
	return problemOf(err)
}

// ModelProblem returns the first conflict between the model's settings, or between them and the
// metric.
func (c *Config) ModelProblem() (p Problem, wrong bool) {
	if p, wrong = c.Model.Problem(); wrong {
		return p, true
	}
	return problemOf(c.Spec().Check())
}

// problemOf converts an error about the model's settings.
func problemOf(err error) (p Problem, wrong bool) {
	if err == nil {
		return p, false
	}
	var s *models.SettingError
	if !errors.As(err, &s) {
		return Problem{Key: "model", Message: err.Error()}, true
	}
	return Problem{Key: "model." + s.Name, Message: s.Problem}, true
}

// foreign finds a changed setting that belongs to another kind of model.
func (m Model) foreign() (p Problem, found bool) {
	c := Config{Model: m}
	this, err := m.Entry()
	if err != nil {
		return Problem{Key: "model.kind", Message: err.Error()}, true
	}
	for _, k := range keysOf(m.kinds) {
		name, isModel := strings.CutPrefix(k.Path, "model.")
		if !isModel || this.HasSetting(name) {
			continue
		}
		at := k.Text(&c)
		if k.Bool && at == "false" {
			at = ""
		}
		if at != k.Default {
			return Problem{Key: k.Path, Message: fmt.Sprintf("it goes with kind %s, not with %s; leave it out", m.kinds.With(name)[0], m.Kind)}, true
		}
	}
	for _, r := range []struct {
		key string
		of  [2]int
	}{{"model.dims", m.Dims}, {"model.neighbors", m.Neighbors}} {
		if !this.Ranges && r.of[0] != r.of[1] {
			ranges := slices.DeleteFunc(m.kinds.Names(), func(name string) bool { k, err := m.kinds.Find(name); return err != nil || !k.Ranges })
			return Problem{Key: r.key, Message: fmt.Sprintf("a range goes with kind %s, not with %s; give one number", strings.Join(ranges, ", "), m.Kind)}, true
		}
	}
	return Problem{}, false
}
