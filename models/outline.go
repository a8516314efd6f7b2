package models

// Learning are the settings of a model that learns: student.Settings and saul.Settings.
type Learning interface {
	// Check returns a *SettingError if a fit would refuse the settings.
	Check() error
	// Outline returns what settings that Check accepts come to for a map of n points.
	Outline(n int) Outline
}

// Outline is what the number of points decides of a fit.
type Outline struct {
	Dims, Neighbors, Steps int
	// Level is the paper's l, 0 with heavy tails.
	Level int
	// Coarse is what points are held against; not CoarseAuto.
	Coarse Coarse
	// Theta is the accuracy of cells in the map, 0 if there are none.
	Theta float64
	// Warnings are what to know of the settings at that number of points, a sentence each.
	Warnings []string
}
