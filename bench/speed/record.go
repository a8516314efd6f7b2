package main

import (
	"fmt"
	"maps"
	"slices"
)

// own is the name of this program among the measured ones.
const own = "unfold"

// Units of series. For seconds and bytes less is better, for rates more.
const (
	seconds = "s"
	inBytes = "B"
	gflops  = "GFLOP/s"
	gbytes  = "GB/s"
	perSec  = "1/s"
	plain   = ""
)

// series are the measurements of one figure, one per round.
type series struct {
	Who     string    `json:"who"`
	What    string    `json:"what"`
	Unit    string    `json:"unit"`
	Samples []float64 `json:"samples"`
}

// best returns the least sample, for rates the largest.
func (s series) best() float64 {
	switch s.Unit {
	case gflops, gbytes, perSec:
		return slices.Max(s.Samples)
	}
	return slices.Min(s.Samples)
}

// spread returns the relative difference between the largest and the smallest sample.
func (s series) spread() float64 {
	low := slices.Min(s.Samples)
	if low == 0 {
		return 0
	}
	return slices.Max(s.Samples)/low - 1
}

// record is the content of a row's file: its measurements.
type record struct {
	// Run is the run that made the measurements. Made describes data and settings.
	Run  string `json:"run"`
	Made string `json:"made"`
	// When describes the time and the vector instructions of the measurement.
	When string `json:"when,omitempty"`
	// Took is the duration of the measurement in seconds.
	Took float64 `json:"took"`
	// Series in the order of the page.
	Series []series `json:"series"`
	// Versions are those of all measured programs, by name.
	Versions map[string]string `json:"versions"`
	// Missing lists what was not measured, with the reason.
	Missing []string `json:"missing,omitempty"`
	// Notes hold facts about the measurements, such as counts.
	Notes []string `json:"notes,omitempty"`
}

func (r *record) add(who, what, unit string, samples ...float64) {
	if len(samples) == 0 {
		return
	}
	for i := range r.Series {
		if s := &r.Series[i]; s.Who == who && s.What == what {
			s.Samples = append(s.Samples, samples...)
			return
		}
	}
	r.Series = append(r.Series, series{who, what, unit, samples})
}

func (r *record) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(r.Notes, text) {
		r.Notes = append(r.Notes, text)
	}
}

func (r *record) miss(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(r.Missing, text) {
		r.Missing = append(r.Missing, text)
	}
}

// merge adds the measurements of a peer's process.
func (r *record) merge(o *record) {
	for _, s := range o.Series {
		r.add(s.Who, s.What, s.Unit, s.Samples...)
	}
	for _, m := range o.Missing {
		r.miss("%s", m)
	}
	for _, n := range o.Notes {
		r.note("%s", n)
	}
	if r.Versions == nil {
		r.Versions = map[string]string{}
	}
	maps.Copy(r.Versions, o.Versions)
}

// best returns the best of a figure's samples.
func (r *record) best(who, what string) (float64, bool) {
	if r == nil {
		return 0, false
	}
	for _, s := range r.Series {
		if s.Who == who && s.What == what && len(s.Samples) > 0 {
			return s.best(), true
		}
	}
	return 0, false
}
