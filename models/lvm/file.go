package lvm

import (
	"unfold/models"
	"unfold/models/prior"
	"unfold/models/saul"
	"unfold/models/student"
	"unfold/sparse/knn/auto"
)

// File is the form of settings in model files, as JSON: one flat object for both models. The names
// in the tags and their order are part of the file format.
type File struct {
	Dims       int             `json:"dims"`
	Tails      Tails           `json:"tails"`
	Neighbors  int             `json:"neighbors"`
	Steps      int             `json:"steps"`
	Momentum   float64         `json:"momentum"`
	NoMomentum bool            `json:"no_momentum"`
	Tolerance  float64         `json:"tolerance"`
	Gain       float64         `json:"gain"`
	Seed       uint64          `json:"seed"`
	Threads    int             `json:"threads"`
	Lists      int             `json:"lists"`
	Search     auto.Settings   `json:"search"`
	Coarse     models.Coarse   `json:"coarse"`
	Scales     student.Scales  `json:"scales"`
	Tail       float64         `json:"tail"`
	Weight     float64         `json:"weight"`
	Sigma      student.Sigma   `json:"sigma"`
	Sigma2     float64         `json:"sigma2"`
	Thorough   bool            `json:"thorough"`
	Theta      float64         `json:"theta"`
	Core       int             `json:"core"`
	Level      saul.Level      `json:"level"`
	Components saul.Components `json:"components"`
	Floor      float64         `json:"floor"`
	// Files of versions without a prior do not have these.
	Frame       prior.Frame `json:"frame,omitempty"`
	PriorFrom   float64     `json:"prior_from,omitempty"`
	PriorTo     float64     `json:"prior_to,omitempty"`
	Reach       int         `json:"reach,omitempty"`
	FurtherFrom float64     `json:"further_from,omitempty"`
	FurtherTo   float64     `json:"further_to,omitempty"`
	Density     float64     `json:"density,omitempty"`
	RankDecay   float64     `json:"rank_decay,omitempty"`
	Supervision float64     `json:"supervision,omitempty"`
}

// File returns the settings in their file form. For a fit with heavy tails it includes the default
// core and floor of the graph, as files always have.
func (s Settings) File() File {
	c := s.Common
	f := File{
		Dims: c.Dims, Tails: s.Tails, Neighbors: c.Neighbors, Steps: c.Steps,
		Seed: c.Seed, Threads: c.Threads, Lists: c.Lists, Search: c.Search,
	}
	if s.Tails == Gaussian {
		o := s.Saul
		f.Momentum, f.NoMomentum, f.Tolerance, f.Gain, f.Coarse = o.Momentum, o.NoMomentum, o.Tolerance, o.Gain, o.Coarse
		f.Core, f.Level, f.Components, f.Floor = o.Core, o.Level, o.Components, o.Floor
		f.Frame, f.PriorFrom, f.PriorTo = o.Prior.Frame, o.Prior.Schedule.From, o.Prior.Schedule.To
		if o.Shared {
			f.Sigma = student.Shared
		}
		return f
	}
	o := s.Student
	f.Momentum, f.NoMomentum, f.Tolerance, f.Gain, f.Coarse = o.Momentum, o.NoMomentum, o.Tolerance, o.Gain, o.Coarse
	f.Scales, f.Tail, f.Weight, f.Sigma, f.Sigma2, f.Thorough, f.Theta = o.Scales, o.Tail, o.Weight, o.Sigma, o.Sigma2, o.Thorough, o.Theta
	f.Frame, f.PriorFrom, f.PriorTo = o.Prior.Frame, o.Prior.Schedule.From, o.Prior.Schedule.To
	f.Reach, f.FurtherFrom, f.FurtherTo = o.Reach, o.Further.From, o.Further.To
	f.Density, f.RankDecay, f.Supervision = o.Density, o.RankDecay, o.Supervision
	if o.Sigma2 != 0 { // defaults are filled in
		f.Core, f.Floor = 1, saul.DefaultFloor
	}
	return f
}

// Settings returns the settings of a file form.
func (f File) Settings() Settings {
	s := Settings{Common: models.Common{
		Dims: f.Dims, Neighbors: f.Neighbors, Steps: f.Steps, Seed: f.Seed, Threads: f.Threads, Search: f.Search, Lists: f.Lists,
	}}
	s.Tails = f.Tails
	near := prior.Settings{Frame: f.Frame, Schedule: prior.Schedule{From: f.PriorFrom, To: f.PriorTo}}
	if s.Tails == Gaussian {
		s.Saul = saul.Options{
			Momentum: f.Momentum, NoMomentum: f.NoMomentum, Tolerance: f.Tolerance, Gain: f.Gain, Coarse: f.Coarse,
			Core: f.Core, Level: f.Level, Components: f.Components, Floor: f.Floor, Prior: near,
			Shared: f.Sigma == student.Shared,
		}
		return s
	}
	s.Student = student.Options{
		Momentum: f.Momentum, NoMomentum: f.NoMomentum, Tolerance: f.Tolerance, Gain: f.Gain, Coarse: f.Coarse,
		Scales: f.Scales, Tail: f.Tail, Weight: f.Weight, Sigma: f.Sigma, Sigma2: f.Sigma2, Thorough: f.Thorough, Theta: f.Theta,
		Prior: near, Density: f.Density, RankDecay: f.RankDecay, Supervision: f.Supervision, Reach: f.Reach, Further: student.FurtherWeight{From: f.FurtherFrom, To: f.FurtherTo},
	}
	return s
}
