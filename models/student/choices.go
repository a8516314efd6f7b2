package student

import "unfold/models"

var (
	// Unclipped scales are for experiments, so settings have no name for them.
	scaleNames = models.Names[Scales]{"native", "unit"}
	sigmaNames = models.Names[Sigma]{"fixed", "shared", "free"}
)

// String returns the name of the choice in settings and model files.
func (s Scales) String() string { return scaleNames.Word(s) }

// MarshalText implements encoding.TextMarshaler.
func (s Scales) MarshalText() ([]byte, error) { return scaleNames.Marshal(s) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Scales) UnmarshalText(b []byte) error { return scaleNames.Unmarshal(s, b) }

// String returns the name of the choice in settings and model files.
func (s Sigma) String() string { return sigmaNames.Word(s) }

// MarshalText implements encoding.TextMarshaler.
func (s Sigma) MarshalText() ([]byte, error) { return sigmaNames.Marshal(s) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Sigma) UnmarshalText(b []byte) error { return sigmaNames.Unmarshal(s, b) }
