package main

import (
	"fmt"
	"maps"
	"slices"
)

// own is this program among those measured.
const own = "unfold"

// Units of series. Of seconds and bytes less is better, of rates more.
const (
	seconds = "s"
	inBytes = "B"
	gflops  = "GFLOP/s"
	gbytes  = "GB/s"
	perSec  = "1/s"
	plain   = ""
)

// series are the measurements of one figure, one a round.
type series struct {
	Who     string    `json:"who"`
	What    string    `json:"what"`
	Unit    string    `json:"unit"`
	Samples []float64 `json:"samples"`
}

// best is the least, of rates the largest.
func (s series) best() float64 {
	switch s.Unit {
	case gflops, gbytes, perSec:
		return slices.Max(s.Samples)
	}
	return slices.Min(s.Samples)
}

// spread is how much larger the largest sample is than the smallest, as a share.
func (s series) spread() float64 {
	low := slices.Min(s.Samples)
	if low == 0 {
		return 0
	}
	return slices.Max(s.Samples)/low - 1
}

// record is what a row has measured, as its file holds it.
type record struct {
	// Run names the run that measured it; Made says of what, by which settings.
	Run  string `json:"run"`
	Made string `json:"made"`
	// When and by which vector instructions it was measured, in words.
	When string `json:"when,omitempty"`
	// Took is how many seconds it took to measure.
	Took float64 `json:"took"`
	// Series in the order of the page.
	Series []series `json:"series"`
	// Versions of all that was measured, by name.
	Versions map[string]string `json:"versions"`
	// Missing says what was not measured, and why.
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

// merge takes over what a peer's process has measured.
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
