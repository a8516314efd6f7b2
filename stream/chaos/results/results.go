package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"unfold/internal/atomicfile"
)

// Run is one scenario: a stage, or several, broken according to a schedule.
type Run struct {
	Scenario string    `json:"scenario"`
	Broker   string    `json:"broker"`
	Delivery string    `json:"delivery"`
	Begun    time.Time `json:"begun"`
	Seconds  float64   `json:"seconds"`
	Seed     uint64    `json:"seed"`
	// Faults counts the steps by fault, Named those at named moments; Unmet of them
	// happened at another one, because theirs did not come.
	Faults map[string]int `json:"faults"`
	Named  int            `json:"named"`
	Unmet  int            `json:"unmet"`
	// Starts in vain: a stage ended by itself while it started, and was started again.
	Vain int `json:"vain"`
	// Inputs is how many messages were read; Placed and Letters of them came out,
	// Lost did not; Duplicates are outputs and letters beyond the first.
	Inputs     int `json:"inputs"`
	Placed     int `json:"placed"`
	Letters    int `json:"letters"`
	Lost       int `json:"lost"`
	Duplicates int `json:"duplicates"`
	Versions   int `json:"versions"`
	// Wrong counts outputs of no input, out of their order, with other rows, or with
	// other bytes for the same position and version.
	Wrong int `json:"wrong"`
	// Complaints are what broke a promise; none if all held.
	Complaints []string `json:"complaints,omitempty"`
	// Lag is how many offsets the group lay behind at rest, as other programs measure it; nil in
	// results from before that was kept.
	Lag *int64 `json:"lag,omitempty"`
}

// Soak is a stage that ran at a steady rate. Growth is that of a straight line over
// the time watched.
type Soak struct {
	Broker  string    `json:"broker"`
	Begun   time.Time `json:"begun"`
	Seconds float64   `json:"seconds"`
	// Rate is in messages a second.
	Rate       float64 `json:"rate"`
	Inputs     int     `json:"inputs"`
	Lost       int     `json:"lost"`
	Duplicates int     `json:"duplicates"`
	Versions   int     `json:"versions"`
	Memory     Trend   `json:"memory_mib"`
	Goroutines Trend   `json:"goroutines"`
	Files      Trend   `json:"files"`
	// Complaints are what broke a promise; none if all held.
	Complaints []string `json:"complaints,omitempty"`
}

// Trend is a straight line through samples: its mean, and its growth from the first
// sample to the last.
type Trend struct {
	Mean   float64 `json:"mean"`
	Growth float64 `json:"growth"`
}

func (t Trend) String() string { return fmt.Sprintf("%.1f%+.1f", t.Mean, t.Growth) }

// Mutations are damaged messages that were decoded.
type Mutations struct {
	// Format is that of the messages; "": Arrow, as results from before there were others.
	Format  string    `json:"format,omitempty"`
	Begun   time.Time `json:"begun"`
	Seconds float64   `json:"seconds"`
	// First and Lots say which: each lot is drawn from its number.
	First int `json:"first"`
	Lots  int `json:"lots"`
	// Decoded were still good, Refused were not; none ended the process. Most is the
	// most bytes that were allocated for one, all in all, Limit what one may take.
	Decoded int    `json:"decoded"`
	Refused int    `json:"refused"`
	Most    uint64 `json:"most"`
	Limit   uint64 `json:"limit"`
}

// Inflating is a stage that read messages that are small on the wire and large in memory.
type Inflating struct {
	Load    string    `json:"load"`
	Broker  string    `json:"broker"`
	Begun   time.Time `json:"begun"`
	Seconds float64   `json:"seconds"`
	// Bytes are those of all messages, decompressed.
	Bytes int64 `json:"bytes"`
	// Inputs is how many messages were read; Placed and Letters of them came out, Lost did
	// not.
	Inputs  int `json:"inputs"`
	Placed  int `json:"placed"`
	Letters int `json:"letters"`
	Lost    int `json:"lost"`
	// Peak is the most memory that the process took, in bytes, Bound what it may take.
	Peak  int64 `json:"peak"`
	Bound int64 `json:"bound"`
	// Complaints are what broke a promise; none if all held.
	Complaints []string `json:"complaints,omitempty"`
}

// Folder holds results, one file each; "" keeps none.
type Folder string

// Save writes a result under a name, over the one before.
func (f Folder) Save(kind, name string, v any) error {
	if f == "" {
		return nil
	}
	text, err := json.MarshalIndent(v, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(string(f), 0o755); err != nil {
		return err
	}
	file, err := atomicfile.Create(filepath.Join(string(f), kind+"-"+strings.ReplaceAll(name, " ", "-")+".json"))
	if err != nil {
		return err
	}
	if _, err := file.Write(append(text, '\n')); err != nil {
		file.Discard()
		return err
	}
	return file.Commit()
}

// load reads all results of a kind.
func load[T any](f Folder, kind string) ([]T, error) {
	files, err := filepath.Glob(filepath.Join(string(f), kind+"-*.json"))
	if err != nil {
		return nil, err
	}
	all := make([]T, len(files))
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err = errors.Join(err, json.Unmarshal(text, &all[i])); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return all, nil
}
