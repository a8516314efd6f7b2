package config

import (
	"cmp"
	"errors"

	"unfold/models"
	"unfold/models/drift"
)

// checkDrift reports conflicts between the settings of drift.
func (c *Config) checkDrift(complain complainer) {
	d := c.Drift
	switch {
	case d.Window == 0 && (d.Neighbors != defaultDriftNeighbors || d.FalseAlarm != defaultFalseAlarm):
		complain("drift.window", "say how many events to look at together, as 200, or leave drift out", "without it drift is not watched")
	case d.Window == 0:
	case c.Reference.Policy == "coverage":
		complain("drift.window", "set reference.policy to reservoir or window, or leave drift out", "a reference set with reference.policy coverage is no sample of the events")
	default:
		var wrong *models.SettingError
		if _, err := d.Settings().Filled(); errors.As(err, &wrong) {
			key := map[string]string{"window": "window", "neighbors": "neighbors"}[wrong.Name]
			complain("drift."+cmp.Or(key, "false_alarm"), "", "%s", wrong.Problem)
		}
	}
}

// Defaults of settings that have no effect without drift.window.
const defaultDriftNeighbors, defaultFalseAlarm = 10, 10_000

// Settings returns the settings of package drift.
func (d Drift) Settings() drift.Settings {
	return drift.Settings{Window: d.Window, Neighbors: d.Neighbors, Events: d.FalseAlarm}
}
