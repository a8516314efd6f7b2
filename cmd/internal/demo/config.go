package demo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"unfold/stream/learn"
)

// These are the names of the files that the demo writes.
const (
	DataFile    = "connections.csv.gz"
	ConfigFile  = "unfold.yaml"
	StateFolder = "state"
	PlacesFile  = "places.parquet"
	MapFile     = "map.parquet"
	MapPicture  = "map.png"
	NoveltyFile = "novelty.png"
)

// leastShare is the divisor for the least size of a cluster: a tenth of the events of the first
// map.
const leastShare = 10

// configuration is the template of the stage's configuration. Its arguments are brokers, topic,
// columns, first map, reference set, refresh, clusters, dead letters, state and the name of an
// event.
const configuration = `# The configuration that the demo ran with. For a broker of your own, change
# brokers and topics, then: unfold run -c unfold.yaml
source:
  kafka: {brokers: [%s], topic: %s, group: unfold}
%smodel: {kind: lvm, dims: 2, tails: student, seed: 1}
reference: {min: %d, size: %d, policy: reservoir}
refresh: {every: %s, new: 0%%}
clusters: {min_size: %d}
sink: {kafka: {topic: %s}}
dead_letter: {topic: %s}
state: %s
http: 127.0.0.1:0
page: {point: %s}
`

// Prepare makes the demo's output folder, with the configuration for a stream at a rate, and
// returns the configuration's path. It removes the map of an earlier demo, whose broker no longer
// exists.
func Prepare(folder string, b *Broker, s *Stream, rate int) (configFile string, err error) {
	state := filepath.Join(folder, StateFolder)
	if err := os.MkdirAll(state, 0o755); err != nil {
		return "", err
	}
	if err := learn.Clear(state); err != nil {
		return "", err
	}
	absolute, err := filepath.Abs(state)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf(configuration, `"`+strings.Join(b.Addresses(), `", "`)+`"`, s.Topic, s.columns,
		s.min, s.size, s.refreshEvery(rate), max(s.min/leastShare, 10), Places, s.deadLetters(), quote(absolute), quote(s.Event))
	configFile = filepath.Join(folder, ConfigFile)
	return configFile, os.WriteFile(configFile, []byte(text), 0o644)
}

// quote quotes a path for YAML, with $ escaped.
func quote(s string) string {
	return `'` + strings.NewReplacer(`'`, `''`, `${`, `$${`).Replace(s) + `'`
}
