package format_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"unfold/ingest/emit"
	"unfold/ingest/record"
	"unfold/internal/fetched"
	"unfold/internal/java"
	"unfold/internal/testkit/tier"
	"unfold/internal/vec"
	"unfold/stream"
	"unfold/stream/format"
	"unfold/stream/registry"
)

// TestConnect decodes outputs with Kafka Connect's code for Avro. Each field has one plain type
// that a JDBC sink accepts, not a union's struct, and the original value. Integers beyond 2^53 are
// exact.
func TestConnect(t *testing.T) {
	tier.Full(t, "it runs Java")
	folder := fetched.Testdata("connect")
	jars, err := java.Fetched(filepath.Join(folder, "pom.xml"), "connect", nil, "dependency:copy")
	if err != nil {
		tier.Missing(t, err.Error())
	}
	_, client := schemaRegistry(t)
	pins, err := record.ParseTypes([]string{"pin_uint:uint", "pin_int:int", "pin_time:time", "pin_text:text", "pin_bool:bool", "pin_float:float"})
	if err != nil {
		t.Fatal(err)
	}
	columns := []string{"id", "whole", "fraction", "text", "flag", "none", "dotted.name", "pin_uint", "pin_int", "pin_time", "pin_text", "pin_bool", "pin_float"}
	d := decoder(t, format.Decoding{ID: "id", Spec: record.Spec{ID: "id", Paths: columns, Types: pins}})
	e, err := format.NewEncoder(format.Encoding{Format: format.Avro, Registry: client, Topic: "connected"})
	if err != nil {
		t.Fatal(err)
	}
	const ours = "x FLOAT32 1.0;y FLOAT32 2.0;sigma FLOAT32 0.5;novelty_local FLOAT32 0.25;novelty_global FLOAT32 null;class STRING c;class_probability FLOAT32 1.0;" +
		"cluster INT64 3;cluster_probability FLOAT32 0.5;cluster_outlier FLOAT32 0.125;map_epoch INT64 1;model_version INT64 2;map_id STRING m;"
	records := []struct{ text, want string }{
		{`{"id": 9007199254740993, "whole": 9223372036854775807, "fraction": 0.5, "text": "täxt", "flag": true, "dotted": {"name": "in"},
			"pin_uint": 18446744073709551615, "pin_int": -9223372036854775808, "pin_time": "2026-11-29T01:02:03.000004Z", "pin_text": 7, "pin_bool": false, "pin_float": 3}`,
			"id INT64 9007199254740993;whole INT64 9223372036854775807;fraction FLOAT64 0.5;text STRING täxt;flag BOOLEAN true;dotted_name STRING in;" +
				"pin_uint STRING 18446744073709551615;pin_int INT64 -9223372036854775808;pin_time INT64 1795914123000004;pin_text STRING 7;pin_bool BOOLEAN false;pin_float FLOAT64 3.0;" + ours},
		// The records have integers among fractions, and missing columns.
		{`{"id": 2, "fraction": 4, "whole": null, "text": null}`,
			"id INT64 2;whole INT64 null;fraction FLOAT64 4.0;text STRING null;flag BOOLEAN null;dotted_name STRING null;" +
				"pin_uint STRING null;pin_int INT64 null;pin_time INT64 null;pin_text STRING null;pin_bool BOOLEAN null;pin_float FLOAT64 null;" + ours},
	}
	var in bytes.Buffer
	for _, r := range records {
		got, err := d.DecodeNow(t.Context(), &stream.Message{Value: []byte(r.text)})
		if err != nil {
			t.Fatal(err)
		}
		nan := float32(0)
		nan /= nan
		o := &emit.Output{Embedding: vec.Of(1, 2, []float32{1, 2}), Sigma: []float32{0.5}, NoveltyLocal: []float32{0.25}, NoveltyGlobal: []float32{nan}, Class: []string{"c"}, Probability: []float32{1},
			Cluster: []int64{3}, ClusterProbability: []float32{0.5}, ClusterOutlier: []float32{0.125}, Epoch: 1, Version: 2, MapID: "m"}
		for _, name := range columns {
			c, ok := got.Table.Column(name)
			switch {
			case !ok:
				t.Fatalf("there is no column %s", name)
			case name == "id":
				o.ID = c
			default:
				o.Kept = append(o.Kept, c)
			}
		}
		value, _, err := e.Encode(t.Context(), o, format.Wire{Format: format.JSON})
		if err != nil {
			t.Fatal(err)
		}
		id, own, err := registry.ParseID(value)
		if err != nil {
			t.Fatal(err)
		}
		s, err := client.Schema(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&in, "%s\t%s\n", base64.StdEncoding.EncodeToString([]byte(s.Text)), base64.StdEncoding.EncodeToString(own))
	}
	cmd := exec.CommandContext(t.Context(), "java", "-Dfile.encoding=UTF-8", "-Dsun.stdout.encoding=UTF-8", "-cp", filepath.Join(jars, "*"), filepath.Join(folder, "Convert.java"))
	cmd.Stdin = &in
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, complaints.Bytes())
	}
	made := strings.Split(strings.TrimSuffix(string(out), ".\n"), ".\n")
	if len(made) != len(records) {
		t.Fatalf("%d records of %d:\n%s", len(made), len(records), out)
	}
	for i, r := range records {
		var got strings.Builder
		for line := range strings.Lines(made[i]) {
			f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			required := f[0] == "map_epoch" || f[0] == "model_version" || f[0] == "map_id"
			if f[2] != "-" || (f[3] == "required") != required {
				t.Errorf("record %d: the field %q is %s, and its schema is called %s", i, f[0], f[3], f[2])
			}
			fmt.Fprintf(&got, "%s %s %s;", f[0], f[1], f[4])
		}
		if got.String() != r.want {
			t.Errorf("record %d:\n%s\nwant\n%s", i, got.String(), r.want)
		}
	}
}
