package emit_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/dynamicpb"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
)

// grouped returns an event with a cluster.
func grouped(cluster int64) *emit.Output {
	o := events(1, 2)
	o.Class, o.Probability, o.Version = nil, nil, 7
	o.Cluster, o.ClusterProbability, o.ClusterOutlier = []int64{cluster}, []float32{0.5}, []float32{float32(math.NaN())}
	return o
}

// inRegistryFormats returns an event as decoded by other libraries from Avro and Protobuf.
func inRegistryFormats(t *testing.T, o *emit.Output) (map[string]any, *dynamicpb.Message) {
	t.Helper()
	var a emit.Avro
	s, value, err := a.Encode(nil, o)
	if err != nil {
		t.Fatal(err)
	}
	v := readAvro(t, s.Text, value)
	var p emit.Protobuf
	value, schema, err := p.Encode(o)
	if err != nil {
		t.Fatal(err)
	}
	return v, readBack(t, value, schema)
}

// The columns of clusters are present in every message format.
func TestClusters(t *testing.T) {
	for name, cluster := range map[string]int64{"noise": -1, "first": 1, "large": 1 << 40} {
		t.Run(name, func(t *testing.T) {
			o := grouped(cluster)
			slow, err := emit.EncodeMessage(o)
			if err != nil {
				t.Fatal(err)
			}
			w := &emit.MessageWriter{}
			for range 2 {
				if fast, err := w.Encode(o); err != nil || !bytes.Equal(fast, slow) {
					t.Fatalf("the fast writer says otherwise: %v", err)
				}
			}
			records, err := arrowfmt.DecodeMessage(slow, ingesttest.Here(), arrowfmt.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			const columns = "novelty_global float32, cluster int64, cluster_probability float32, cluster_outlier float32, map_epoch uint32"
			if got := records.Schema().String(); !strings.Contains(got, columns) {
				t.Errorf("columns %s, want %s", got, columns)
			}
			c, _ := records.Column(emit.ClusterName)
			number := c.Text(0)
			text, err := emit.JSON{}.Encode(o)
			if want := `"cluster":` + number + `,"cluster_probability":0.5,"cluster_outlier":null,`; err != nil || !strings.Contains(string(text), want) {
				t.Errorf("%s, %v; want %s", text, err, want)
			}
			v, m := inRegistryFormats(t, o)
			if v["cluster"] != cluster || v["cluster_probability"] != float32(0.5) || v["cluster_outlier"] != nil {
				t.Errorf("Avro: %v", v)
			}
			f := m.Descriptor().Fields()
			if got := m.Get(f.ByName("cluster")).Int(); got != cluster || f.ByName("cluster").Number() != 15 {
				t.Errorf("Protobuf: %d at %d", got, f.ByName("cluster").Number())
			}
			if got := m.Get(f.ByName("cluster_probability")).Float(); got != 0.5 || f.ByName("cluster_outlier").Number() != 17 {
				t.Errorf("Protobuf: probability %v, outliers at %d", got, f.ByName("cluster_outlier").Number())
			}
			if back := o.Slice(0, 1); !reflect.DeepEqual(back.Cluster, o.Cluster) {
				t.Errorf("a slice has %v", back.Cluster)
			}
		})
	}
}

// Events with reasons have the columns of clusters as well, in every message format.
func TestClustersOfReasons(t *testing.T) {
	o, alone := first(), grouped(9)
	o.Cluster, o.ClusterProbability, o.ClusterOutlier = alone.Cluster, alone.ClusterProbability, []float32{0.25}
	value, err := emit.EncodeMessage(o)
	if err != nil {
		t.Fatal(err)
	}
	if fast, err := (&emit.MessageWriter{}).Encode(o); err != nil || !bytes.Equal(fast, value) {
		t.Errorf("the fast writer says otherwise: %v", err)
	}
	records, err := arrowfmt.DecodeMessage(value, ingesttest.Here(), arrowfmt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	c, _ := records.Column(emit.ClusterName)
	if _, ok := records.Column(emit.ReasonsName); !ok || c.Text(0) != "9" {
		t.Errorf("columns %s, cluster %q", records.Schema(), c.Text(0))
	}
	text, err := emit.JSON{}.Encode(o)
	if want := `"cluster":9,"cluster_probability":0.5,"cluster_outlier":0.25,"reasons":[{"column":"bytes",`; err != nil || !strings.Contains(string(text), want) {
		t.Errorf("%s, %v; want %s", text, err, want)
	}
	v, m := inRegistryFormats(t, o)
	if v["cluster"] != int64(9) || len(v["reasons"].([]any)) != 2 {
		t.Errorf("Avro: %v", v)
	}
	f := m.Descriptor().Fields()
	if m.Get(f.ByName("cluster")).Int() != 9 || m.Get(f.ByName("reasons")).List().Len() != 2 {
		t.Errorf("Protobuf: %v", m)
	}
}

// Files have the columns of clusters, and they are read back.
func TestClustersInFiles(t *testing.T) {
	for _, ext := range []string{".arrow", ".parquet", ".csv", ".jsonl"} {
		t.Run(ext, func(t *testing.T) {
			r := written(t, ext, grouped(7), grouped(-1))
			var got []string
			for {
				part, err := r.Next(t.Context())
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				for i := range part.Len() {
					row := ""
					for _, name := range []string{emit.ClusterName, emit.ClusterProbabilityName, emit.ClusterOutlierName} {
						c, ok := part.Column(name)
						if !ok {
							t.Fatalf("no column %s of %s", name, part.Schema())
						}
						row += c.Text(i) + " "
					}
					got = append(got, row)
				}
			}
			nothing := "NaN"
			if ext == ".jsonl" {
				nothing = "" // null
			}
			if want := []string{"7 0.5 " + nothing + " ", "-1 0.5 " + nothing + " "}; !reflect.DeepEqual(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

// Input columns with the names of cluster columns are passed on if there are no clusters. Otherwise
// they are an error.
func TestClustersOfTheInput(t *testing.T) {
	o := grouped(3)
	own := table.StringColumn(emit.ClusterName, []string{"theirs"})
	o.Kept = append(o.Kept, own)
	if _, err := emit.EncodeMessage(o); err == nil || !strings.Contains(err.Error(), `"cluster" cannot be kept`) {
		t.Errorf("error %v", err)
	}
	o.Cluster, o.ClusterProbability, o.ClusterOutlier = nil, nil, nil
	var p emit.Protobuf
	value, schema, err := p.Encode(o)
	if err != nil {
		t.Fatal(err)
	}
	m := readBack(t, value, schema)
	if got := m.Get(m.Descriptor().Fields().ByName("cluster")).String(); got != "theirs" {
		t.Errorf("kept as %q", got)
	}
	o = grouped(3)
	o.ClusterOutlier = nil
	if _, err := emit.EncodeMessage(o); err == nil {
		t.Error("clusters without outlier scores are written")
	}
}
