package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"unfold/ingest"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/lvm"
	"unfold/models/placing"
)

// Spec is what the model's settings mean to package fit.
func (m Model) Spec() fit.Spec {
	s := m.Given.Spec(m.settings(m.Kind))
	s.Kinds = m.kinds
	return s
}

// Spec is what the settings mean to package fit: the model's, under the metric's distance, and without principal
// components where the metric wants vectors whole and none are asked for.
func (c *Config) Spec() fit.Spec {
	s := c.Model.Spec()
	s.Distance = ingest.Metric(c.Source.Metric).Distance()
	if s.PCA == fit.PCAAuto && ingest.Metric(c.Source.Metric).Whole() {
		s.PCA = fit.PCANone
	}
	return s
}

// Entry is the kind that the settings name.
func (m Model) Entry() (fit.Kind, error) { return m.kinds.Find(m.Kind) }

// settings are those that a kind brings with it, nil if it brings none.
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

// PlaceRule is how new points are placed, whatever the kind of the map.
func (m Model) PlaceRule() (placing.Rule, error) {
	c := Config{Model: m}
	k, _ := Find("model.place")
	return placing.ParseRule(k.Text(&c))
}

// Rule is how new points are placed.
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
	return problemOf(err)
}

// ModelProblem is that of the model's settings, or what does not go with the metric.
func (c *Config) ModelProblem() (p Problem, wrong bool) {
	if p, wrong = c.Model.Problem(); wrong {
		return p, true
	}
	return problemOf(c.Spec().Check())
}

// problemOf is an error of the model's settings, if it is one.
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

// foreign finds a setting of another kind of model that is not at its default.
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
			return Problem{Key: k.Path, Message: fmt.Sprintf("it goes with kind %s, not with %s; leave it out", m.firstWith(name), m.Kind)}, true
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

// firstWith is the first kind that has a setting.
func (m Model) firstWith(name string) string {
	for _, kind := range m.kinds.Names() {
		if k, err := m.kinds.Find(kind); err == nil && k.HasSetting(name) {
			return kind
		}
	}
	return ""
}
