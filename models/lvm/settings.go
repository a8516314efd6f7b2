package lvm

import (
	"cmp"

	"unfold/models"
	"unfold/models/saul"
	"unfold/models/snapshot"
	"unfold/models/student"
	"unfold/sparse/distance"
)

// Tails selects how the probability that two points coincide falls with their distance on the map.
type Tails int

const (
	// Student is the default: heavy tails, a scale mixture of the paper's model
	// (package student).
	Student Tails = iota
	// Gaussian is the paper's model, as published (package saul).
	Gaussian
)

var tailNames = models.Names[Tails]{"student", "gaussian"}

// String returns the name of the choice in settings and model files.
func (t Tails) String() string { return tailNames.Word(t) }

// MarshalText implements encoding.TextMarshaler.
func (t Tails) MarshalText() ([]byte, error) { return tailNames.Marshal(t) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (t *Tails) UnmarshalText(b []byte) error { return tailNames.Unmarshal(t, b) }

// TailsOf returns the tails with which a map was learnt.
func TailsOf(s *snapshot.Snapshot) Tails {
	if s.Student != nil {
		return Student
	}
	return Gaussian
}

// Settings are the settings of a fit. The zero value is a good start.
type Settings struct {
	models.Common
	Options
}

// Options are the settings of this kind in addition to those of all kinds.
type Options struct {
	// Tails selects the model.
	Tails Tails
	// Student and Saul are the models' own settings.
	Student student.Options
	Saul    saul.Options
}

// ForStudent returns the settings in the form of package student.
func (s Settings) ForStudent() student.Settings {
	return student.Settings{Common: s.Common, Options: s.Student}
}

// ForSaul returns the settings in the form of package saul.
func (s Settings) ForSaul() saul.Settings { return saul.Settings{Common: s.Common, Options: s.Saul} }

// Check returns a *models.SettingError if a fit would reject the settings.
func (s Settings) Check() error {
	if err := s.foreign(); err != nil {
		return err
	}
	return s.chosen().Check()
}

// chosen returns the settings of the chosen model.
func (s Settings) chosen() models.Learning {
	if s.Tails == Gaussian {
		return s.ForSaul()
	}
	return s.ForStudent()
}

// foreign rejects settings that the chosen tails do not have.
func (s Settings) foreign() error {
	switch s.Tails {
	case Student:
		const only = "it belongs to Gaussian tails; leave it out, or choose gaussian tails"
		own := s.Saul
		return cmp.Or(
			models.Require(own.Core == 0 || own.Core == 1, "core", only),
			models.Require(own.Level == saul.LevelAuto, "level", only),
			models.Require(own.Components == saul.Connect, "components", "with heavy tails all components of the neighbour graph are learnt; leave it out, or choose gaussian tails"),
			models.Require(own.Floor == 0, "floor", only),
			models.Require(!own.Shared, "sigma", only),
		)
	case Gaussian:
		const only = "%v belongs to heavy tails; leave it out, or choose student tails"
		own := s.Student
		return cmp.Or(
			models.Require(s.Paths == nil || s.Saul.Components == saul.Connect, "components", "largest places what is not learnt by vectors, which the nodes of a graph do not have: choose connect"),
			models.Require(s.Distance == distance.Euclidean, "tails", "gaussian tails go with Euclidean distances, not with the metric %v: choose student tails", s.Distance),
			models.Require(own.Scales == student.Native, "scales", only, own.Scales),
			models.Require(own.Sigma == student.Fixed, "sigma", "%v belongs to heavy tails; with Gaussian tails variances are always learnt, one for all points if Saul.Shared is set", own.Sigma),
			models.Require(own.Density == 0, "density", only, own.Density),
			models.Require(own.Supervision == 0, "supervision", only, own.Supervision),
			models.Require(own.RankDecay <= 0, "rank_decay", only, own.RankDecay),
			models.Require(own.Tail == 0, "tail", only, own.Tail),
			models.Require(own.Weight == 0, "weight", only, own.Weight),
			models.Require(own.Sigma2 == 0, "sigma2", only, own.Sigma2),
			models.Require(own.Theta == 0, "theta", only, own.Theta),
			models.Require(own.Reach <= 0, "reach", only, own.Reach),
			models.Require(!own.Thorough, "thorough", "it belongs to heavy tails; with Gaussian tails take more steps"),
		)
	}
	return models.Require(false, "tails", "there is no %v", s.Tails)
}

// Outline returns the resolved main settings of a map of n points. Check must have accepted the
// settings.
func (s Settings) Outline(n int) models.Outline { return s.chosen().Outline(n) }
