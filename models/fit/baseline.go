package fit

import (
	"context"
	"encoding/json"
	"fmt"

	"unfold/internal/setting"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/baseline"
	"unfold/models/lvm"
	"unfold/models/placing"
	"unfold/models/snapshot"
)

// textbook is the entry of a method of package baseline.
func textbook(m baseline.Method, about string) Kind {
	k := Kind{
		Name: string(m), About: about,
		Check: func(s Spec) error { _, err := s.textbook().Resolved(m); return err },
		Learn: func(ctx context.Context, z vec.Matrix[float32], s Spec, progress models.Progress) (*Learnt, error) {
			return learnTextbook(ctx, m, z, s, progress)
		},
		Open: func(s *snapshot.Snapshot, o placing.Options) (models.Placer, error) {
			if o.Rule != placing.RuleAuto || o.Received != 0 || o.Neighbors != 0 {
				return nil, &models.SettingError{Name: "place", Problem: fmt.Sprintf("%v goes with maps of kind %s; this one is of kind %s, whose own way is auto", o.Rule, LVM, m)}
			}
			return baseline.NewPlacer(s, baseline.PlaceSettings{Threads: o.Threads, Search: o.Search})
		},
		Memory: func(s Spec, n, q int) int64 {
			f, err := s.textbook().Resolved(m)
			if err != nil {
				return 0
			}
			return f.Bytes(m, n, q)
		},
	}
	if m != baseline.PCA {
		k.Settings = func() Settings { return new(textbookSettings) }
	}
	return k
}

// textbookSettings are those of the methods that learn a sample.
type textbookSettings struct {
	Sampled sampled `key:""`
}

// textbookFile is how a model file keeps them.
type textbookFile struct {
	Points int `json:"points"`
}

// MarshalJSON implements json.Marshaler.
func (f *textbookSettings) MarshalJSON() ([]byte, error) {
	return json.Marshal(textbookFile{int(f.Sampled.Points)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *textbookSettings) UnmarshalJSON(raw []byte) error {
	var file textbookFile
	if err := json.Unmarshal(raw, &file); err != nil {
		return err
	}
	f.Sampled.Points = setting.Auto(file.Points)
	return nil
}

// Apply implements Settings.
func (f *textbookSettings) Apply(_ Given, s *Spec) { s.Own = f }

// textbook are the settings of a fit as that package has them.
func (s Spec) textbook() baseline.Settings {
	set := baseline.Settings{Common: s.Common}
	if own, ok := s.Own.(*textbookSettings); ok {
		set.Points = int(own.Sampled.Points)
	}
	return set
}

func learnTextbook(ctx context.Context, m baseline.Method, z vec.Matrix[float32], s Spec, progress models.Progress) (*Learnt, error) {
	return learnSample(ctx, z, s, progress, models.CheckRows[float32], func(z vec.Matrix[float32], step func(done, total int)) (*sample, error) {
		step(0, 1)
		fit, err := baseline.Fit(ctx, m, z, s.textbook())
		if err != nil {
			return nil, err
		}
		step(1, 1)
		// The settings that these kinds do not know are left at their defaults.
		s.Common, s.LVM = fit.Settings.Common, lvm.Options{}
		if m != baseline.PCA {
			s.Own = &textbookSettings{sampled{setting.Auto(fit.Settings.Points)}}
		}
		return &sample{model: fit, rows: fit.Learnt, spec: s, report: models.Report{Components: 1, Iterations: fit.Iterations, Converged: fit.Converged}}, nil
	})
}
