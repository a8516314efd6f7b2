package logs

import (
	"context"
	"fmt"
	"io"
	"log/slog"
)

// Settings configure the log.
type Settings struct {
	// Level is the minimum level: debug, info (also ""), warn or error.
	Level string
	// Format is text (also ""), as key=value, or json: an object a line.
	Format string
}

// JSON is the format in which every line is an object.
const JSON = "json"

// New returns a logger that writes to w, one line per event.
func New(w io.Writer, s Settings) (*slog.Logger, error) {
	o := &slog.HandlerOptions{}
	if s.Level != "" {
		var level slog.Level
		if err := level.UnmarshalText([]byte(s.Level)); err != nil {
			return nil, fmt.Errorf("log.level: %q is none of debug, info, warn, error", s.Level)
		}
		o.Level = level
	}
	switch s.Format {
	case "", "text":
		return slog.New(slog.NewTextHandler(w, o)), nil
	case JSON:
		return slog.New(slog.NewJSONHandler(w, o)), nil
	}
	return nil, fmt.Errorf("log.format: %q is none of text, json", s.Format)
}

// Say writes a line about an event.
func Say(l *slog.Logger, level slog.Level, event, message string, attrs ...slog.Attr) {
	l.LogAttrs(context.Background(), level, message, append([]slog.Attr{slog.String(Event, event)}, attrs...)...)
}
