package models

// Learning is the interface of the settings of models that learn: student.Settings and
// saul.Settings.
type Learning interface {
	// Check returns a *SettingError if a fit would reject the settings.
	Check() error
	// Outline returns the choices of a fit to n points with these settings, which Check must
	// accept.
	Outline(n int) Outline
}

// Outline has the settings of a fit that depend on the number of points.
type Outline struct {
	Dims, Neighbors, Steps int
	// Level is the paper's l; 0 with heavy tails.
	Level int
	// Coarse is the resolved choice of repulsion targets, never CoarseAuto.
	Coarse Coarse
	// Theta is the accuracy of cells in the map, 0 without cells.
	Theta float64
	// Warnings are notes on the settings for that number of points, one sentence each.
	Warnings []string
}
