package demo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"unfold/stream/learn"
)

// Names of the files that the demo leaves.
const (
	DataFile    = "connections.csv.gz"
	ConfigFile  = "unfold.yaml"
	StateFolder = "state"
	PlacesFile  = "places.parquet"
	MapFile     = "map.parquet"
	MapPicture  = "map.png"
	NoveltyFile = "novelty.png"
)

// leastShare: a cluster has at least this part of the events of the first map.
const leastShare = 10

// configuration is what the stage runs with: brokers, topic, columns, first map, reference
// set, refresh, clusters, dead letters and state.
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
`

// Prepare makes the folder that the demo writes to, with the configuration for a stream
// that comes at a rate, and returns its path. A map that an earlier demo left is removed:
// it belongs to a broker that is gone.
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
		s.min, s.size, s.refreshEvery(rate), max(s.min/leastShare, 10), Places, s.deadLetters(), quote(absolute))
	configFile = filepath.Join(folder, ConfigFile)
	return configFile, os.WriteFile(configFile, []byte(text), 0o644)
}

// quote writes a path as a YAML word; a $ in it stands for itself.
func quote(s string) string {
	return `'` + strings.NewReplacer(`'`, `''`, `${`, `$${`).Replace(s) + `'`
}
