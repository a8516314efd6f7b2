package demo

import (
	"os"
	"path/filepath"
	"strings"

	"unfold/stream/learn"
	"unfold/testdata/kdd"
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

// configuration is what the stage runs with. Numbers as logarithms, so that a
// gigabyte does not drown everything else; words as they are.
const configuration = `# The configuration that the demo ran with. For a broker of your own, change
# brokers and topics, then: unfold run -c unfold.yaml
source:
  kafka: {brokers: [BROKERS], topic: connections, group: unfold}
  columns: ["*", -record, protocol_type, service, flag]
  log1p: true
  id: record
  label: label
  keep: [category]
model: {kind: lvm, dims: 2, tails: student, seed: 1}
reference: {min: 1000, size: 8000, policy: reservoir}
refresh: {every: 6s, new: 0%}
sink: {kafka: {topic: places}}
dead_letter: {topic: connections-dead}
state: STATE
http: 127.0.0.1:0
`

// Prepare makes the folder that the demo writes to, with the data and the
// configuration, and returns the path of the latter. A map that an earlier demo
// left is removed: it belongs to a broker that is gone.
func Prepare(folder string, b *Broker) (configFile string, err error) {
	state := filepath.Join(folder, StateFolder)
	if err := os.MkdirAll(state, 0o755); err != nil {
		return "", err
	}
	if err := learn.Clear(state); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(folder, DataFile), kdd.CSVGz, 0o644); err != nil {
		return "", err
	}
	absolute, err := filepath.Abs(state)
	if err != nil {
		return "", err
	}
	text := strings.NewReplacer(
		"BROKERS", `"`+strings.Join(b.Addresses(), `", "`)+`"`, "STATE", quote(absolute),
	).Replace(configuration)
	configFile = filepath.Join(folder, ConfigFile)
	return configFile, os.WriteFile(configFile, []byte(text), 0o644)
}

// quote writes a path as a YAML word; a $ in it stands for itself.
func quote(s string) string {
	return `'` + strings.NewReplacer(`'`, `''`, `${`, `$${`).Replace(s) + `'`
}
