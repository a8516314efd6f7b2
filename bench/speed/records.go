package main

import (
	"context"
	"fmt"
	"strings"
)

// recordBenchmarks are Go benchmarks that decode an event to a table, with this program's decoder
// and with one written by hand for this schema.
var recordBenchmarks = []struct {
	format, library string
	own, byHand     string
	most            float64 // target in microseconds
}{
	{"JSON", "encoding/json", "jsonrec Event", "jsonrec HandWritten", 3},
	{"Avro", "twmb/avro", "avrorec Decode/table", "avrorec Decode/struct_by_the_library,_to_a_table", 1},
	{"Protobuf", "protowire", "protorec Decode", "protorec HandWritten", 1},
}

const (
	recordPattern  = "^Benchmark(Event|Decode|HandWritten)$"
	recordPackages = "./ingest/jsonrec ./ingest/avrorec ./ingest/protorec"
	byHand         = "by hand"
)

func eventIn(format string) string { return "an event in " + format }

func recordsRow() row {
	var targets []target
	var libraries []string
	for _, x := range recordBenchmarks {
		what := eventIn(x.format)
		targets = append(targets, target{what: what, value: figure(own, what, 1e6), bound: x.most, unit: " µs", format: "%.1f"},
			target{what: what + ", of one by hand", value: share(byHand, what), bound: 1.2, format: "%.2f"})
		libraries = append(libraries, x.library+" for "+x.format)
	}
	return row{
		key: "records", title: "Decoding of one event",
		about: fmt.Sprintf(`A message of one event with 50 values (float32) and 5 other fields becomes a table, by the decoder of its schema, which
checks what it reads. "By hand" is code that was written for this one schema with a library
(%s), and has no limits of its own. Both are Go benchmarks of the packages under ingest, on one core.`, strings.Join(libraries, ", ")),
		targets: targets,
		measure: measureRecords,
	}
}

// measureRecords interleaves all benchmarks, so that other load affects them alike.
func measureRecords(ctx context.Context, b *bench, r *record) error {
	for range b.size(rounds, 1) {
		out, err := b.benchmarks(ctx, 1, recordPattern, strings.Fields(recordPackages)...)
		if err != nil {
			return err
		}
		all, err := readBenchmarks(out)
		if err != nil {
			return err
		}
		took := map[string]float64{}
		for _, m := range all {
			took[m.name] = m.metrics["ns/op"] / 1e9
		}
		for _, x := range recordBenchmarks {
			for _, y := range [][2]string{{own, x.own}, {byHand, x.byHand}} {
				who, name := y[0], y[1]
				if took[name] == 0 {
					return fmt.Errorf("go test -bench printed no time of %s: %q", name, out)
				}
				r.add(who, eventIn(x.format), seconds, took[name])
			}
		}
	}
	return nil
}
