package learn

import (
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"unfold/ingest"
	"unfold/models/clusters"
	"unfold/models/clusters/identity"
	"unfold/models/snapshot"
)

// TestNamesOfClusters: a map describes its clusters without a topic of clusters, after a restart,
// and in its file.
func TestNamesOfClusters(t *testing.T) {
	rng := rand.New(rand.NewPCG(95, 1))
	columns, err := ingest.ParseColumns("bytes,rate,service")
	if err != nil {
		t.Fatal(err)
	}
	s := quick()
	s.Mapping = ingest.Mapping{Columns: columns, Selection: ingest.Selection{ID: "event", Label: "kind"}}
	s.Clusters = clusters.Settings{MinSize: 45, MinSamples: 10}
	s.State, s.Min, s.Spec.Steps = t.TempDir(), 150, 40
	l := newLearner(t, s)
	stop := running(t, l)
	for offset := range int64(6) {
		offer(t, l, traffic(t, rng, offset, 60, 0, 1, 2))
	}
	waitReady(t, l)
	stop()
	before, err := ClustersOf(l.current.Load().at.Clusters(), l.Snapshot().Mu)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range before {
		names = append(names, c.Name)
		if c.First.IsZero() || c.Size < 45 || len(c.Centre) != 2 || c.Missing {
			t.Errorf("cluster %+v", c)
		}
	}
	if slices.Sort(names); len(names) != 3 || !slices.Contains(names, "tunnel") || slices.Contains(names, "") {
		t.Errorf("the names are %q", names)
	}
	again, err := ClustersOf(newLearner(t, s).current.Load().at.Clusters(), l.Snapshot().Mu)
	if err != nil || !reflect.DeepEqual(namesOf(again), namesOf(before)) {
		t.Errorf("after a restart %v, %v", namesOf(again), err)
	}
	file, err := snapshot.ReadFile(filepath.Join(s.State, MapFile))
	if err != nil {
		t.Fatal(err)
	}
	g, err := identity.Open(file, 1)
	if err != nil {
		t.Fatal(err)
	}
	if of, err := ClustersOf(g, file.Mu); err != nil || !reflect.DeepEqual(namesOf(of), namesOf(before)) {
		t.Errorf("in the file %v, %v", namesOf(of), err)
	}
	if of, err := ClustersOf(nil, file.Mu); of != nil || err != nil {
		t.Errorf("of no clusters: %v, %v", of, err)
	}
	if _, err := ClustersOf(&identity.Groups{Notes: []byte("{")}, file.Mu); err == nil {
		t.Error("notes that are cut off are read")
	}
}

func namesOf(all []Cluster) map[identity.ID]string {
	out := map[identity.ID]string{}
	for _, c := range all {
		out[c.ID] = c.Name
	}
	return out
}
