package cli

import (
	"strconv"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/humanize"
	"unfold/ingest"
	"unfold/models/fit"
	"unfold/models/score"
	"unfold/models/student"
)

// Settings that --supervise sets.
const (
	labelKey       = "source.label"
	supervisionKey = "model.supervision"
)

// supervise applies --supervise to the settings.
func (c *fitCmd) supervise(settings *config.Config) error {
	if c.Supervise == "" {
		return nil
	}
	given := c.values()
	if label := given[labelKey]; label != "" && label != c.Supervise {
		return usagef("labels come both from --label %s and from --supervise %s; keep one of them", label, c.Supervise)
	}
	set := map[string]string{labelKey: c.Supervise}
	if _, chosen := given[supervisionKey]; !chosen {
		set[supervisionKey] = strconv.FormatFloat(student.DefaultSupervision, 'g', -1, 64)
	}
	if settings.Model.Kind == fit.GPLVM && given[supervisionKey] == "" {
		set[supervisionKey] = "1" // kind gplvm has one latent space for both, whatever the weight
	}
	for path, value := range set {
		key, _ := config.Find(path)
		if err := key.Set(settings, value); err != nil {
			return err
		}
	}
	return nil
}

// checkSupervision returns an error if a supervised fit has no labels.
func (c *fitCmd) checkSupervision(m ingest.Mapping, settings *config.Config) error {
	if settings.Model.Spec().Supervised() && m.Label == "" && len(c.LabelFile) == 0 {
		return usagef("--supervision: name the labels by --supervise, --label or --label-file")
	}
	return nil
}

// noteLabels writes a note if the labels have fewer than two distinct values, because they do not
// change the map then.
func (f *fitRun) noteLabels(labels []string) {
	if _, names := score.Classes(labels); labels != nil && len(names) < 2 {
		f.p.note("labels take part in learning, and rows have %s: the map is the same without", humanize.Plural(len(names), "label"))
	}
}
