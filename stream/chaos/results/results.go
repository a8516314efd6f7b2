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

// Run is the result of one scenario: one or more stages with faults of a schedule.
type Run struct {
	Scenario string    `json:"scenario"`
	Broker   string    `json:"broker"`
	Delivery string    `json:"delivery"`
	Begun    time.Time `json:"begun"`
	Seconds  float64   `json:"seconds"`
	Seed     uint64    `json:"seed"`
	// Faults counts the steps by fault, and Named those at named moments. Unmet of them happened at
	// another moment, because the named one did not come.
	Faults map[string]int `json:"faults"`
	Named  int            `json:"named"`
	Unmet  int            `json:"unmet"`
	// Vain is the number of failed starts: a stage ended by itself while it started, and was
	// restarted.
	Vain int `json:"vain"`
	// Inputs is the number of messages read. Placed of them have an output, Letters a dead letter,
	// and Lost neither. Duplicates are additional outputs and dead letters.
	Inputs     int `json:"inputs"`
	Placed     int `json:"placed"`
	Letters    int `json:"letters"`
	Lost       int `json:"lost"`
	Duplicates int `json:"duplicates"`
	Versions   int `json:"versions"`
	// Wrong is the number of outputs without an input, out of order, with other rows, or with other
	// bytes for the same position and version.
	Wrong int `json:"wrong"`
	// Complaints are broken guarantees; none if all hold.
	Complaints []string `json:"complaints,omitempty"`
	// Lag is the group's lag in offsets at the end, as other programs measure it; nil in results
	// from before it was recorded.
	Lag *int64 `json:"lag,omitempty"`
}

// Soak is the result of a stage that ran at a steady rate. Growth is that of a fitted straight
// line.
type Soak struct {
	Broker  string    `json:"broker"`
	Begun   time.Time `json:"begun"`
	Seconds float64   `json:"seconds"`
	// Rate is the number of messages per second.
	Rate       float64 `json:"rate"`
	Inputs     int     `json:"inputs"`
	Lost       int     `json:"lost"`
	Duplicates int     `json:"duplicates"`
	Versions   int     `json:"versions"`
	Memory     Trend   `json:"memory_mib"`
	Goroutines Trend   `json:"goroutines"`
	Files      Trend   `json:"files"`
	// Complaints are broken guarantees; none if all hold.
	Complaints []string `json:"complaints,omitempty"`
}

// Trend is a straight line through samples: its mean, and its growth from the first
// sample to the last.
type Trend struct {
	Mean   float64 `json:"mean"`
	Growth float64 `json:"growth"`
}

func (t Trend) String() string { return fmt.Sprintf("%.1f%+.1f", t.Mean, t.Growth) }

// Mutations is the result of decoding damaged messages.
type Mutations struct {
	// Format is the format of the messages; "" is Arrow, in results from before there were other
	// formats.
	Format  string    `json:"format,omitempty"`
	Begun   time.Time `json:"begun"`
	Seconds float64   `json:"seconds"`
	// First is the number of the first lot, and Lots the number of lots. Each lot is drawn from its
	// number.
	First int `json:"first"`
	Lots  int `json:"lots"`
	// Decoded messages were still valid, and Refused were not; none crashed the process. Most is
	// the largest number of bytes allocated for one message, in total, and Limit its limit.
	Decoded int    `json:"decoded"`
	Refused int    `json:"refused"`
	Most    uint64 `json:"most"`
	Limit   uint64 `json:"limit"`
}

// Inflating is the result of a stage that read messages that are small on the wire and large in
// memory.
type Inflating struct {
	Load    string    `json:"load"`
	Broker  string    `json:"broker"`
	Begun   time.Time `json:"begun"`
	Seconds float64   `json:"seconds"`
	// Bytes is the decompressed size of all messages.
	Bytes int64 `json:"bytes"`
	// Inputs is the number of messages read. Placed of them have an output, Letters a dead letter,
	// and Lost neither.
	Inputs  int `json:"inputs"`
	Placed  int `json:"placed"`
	Letters int `json:"letters"`
	Lost    int `json:"lost"`
	// Peak is the peak memory of the process in bytes, and Bound its limit.
	Peak  int64 `json:"peak"`
	Bound int64 `json:"bound"`
	// Complaints are broken guarantees; none if all hold.
	Complaints []string `json:"complaints,omitempty"`
}

// Folder is a folder of results, with one file each; "" stores none.
type Folder string

// Save writes a result under a name and replaces an earlier one.
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
