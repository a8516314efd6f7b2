package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"unfold/bench/internal/harness"
	"unfold/ingest"
	"unfold/ingest/table"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/snapshot"
	"unfold/stream/embed"
	"unfold/testdata/kdd"
)

// texts are the columns that hold words.
var texts = []string{"protocol_type", "service", "flag"}

// columnNames returns the names of the 41 columns, from the header of the bundled sample.
func columnNames() ([]string, error) {
	z, err := gzip.NewReader(bytes.NewReader(kdd.CSVGz))
	if err != nil {
		return nil, err
	}
	header, err := bufio.NewReader(z).ReadString('\n')
	if err != nil {
		return nil, err
	}
	return strings.Split(header, ",")[1:][:features], nil
}

const features = 41

// events are connections with their labels.
type events struct {
	fields [][]string
	label  []string
}

func (e *events) add(fields []string, label string) {
	e.fields, e.label = append(e.fields, fields), append(e.label, label)
}

// table makes columns of them.
func (e *events) table(names []string) (*table.Table, error) {
	var all []table.Column
	for c, name := range names {
		if slices.Contains(texts, name) {
			words := make([]string, len(e.fields))
			for i, f := range e.fields {
				words[i] = f[c]
			}
			all = append(all, table.StringColumn(name, words))
			continue
		}
		numbers := make([]float64, len(e.fields))
		for i, f := range e.fields {
			var err error
			if numbers[i], err = strconv.ParseFloat(f[c], 64); err != nil {
				return nil, err
			}
		}
		all = append(all, table.Float64Column(name, numbers))
	}
	return table.NewTable(table.Origin{}, all...)
}

// draw reads connections. It draws n distinct normal ones, and at most each connections of every
// described attack.
func draw(r io.Reader, n, each int, seed uint64) (normal, strange *events, err error) {
	rnd := rand.New(rand.NewPCG(seed, 0x5ea))
	byLabel, seen := map[string][][]string{}, map[string]bool{}
	scan := bufio.NewScanner(r)
	for scan.Scan() {
		f := strings.Split(scan.Text(), ",")
		if len(f) <= features {
			return nil, nil, fmt.Errorf("a line of %d fields", len(f))
		}
		label, text := strings.TrimSuffix(f[features], "."), strings.Join(f[:features], ",")
		if !seen[text] {
			seen[text] = true
			byLabel[label] = append(byLabel[label], f[:features])
		}
	}
	if scan.Err() != nil {
		return nil, nil, scan.Err()
	}
	take := func(to *events, label string, most int) {
		all := byLabel[label]
		for _, k := range rnd.Perm(len(all))[:min(most, len(all))] {
			to.add(all[k], label)
		}
	}
	normal, strange = &events{}, &events{}
	take(normal, "normal", n)
	for _, a := range attacks {
		take(strange, a.name, each)
	}
	return normal, strange, nil
}

// set is a data set: its file, and the numbers to draw.
type set struct {
	key, name, file string
	open            func(path string) (io.ReadCloser, error)
}

var sets = []set{
	{"nslkdd", "NSL-KDD", "nslkdd/KDDTrain+.txt.gz", harness.Open},
	{"kdd", "KDD Cup 1999", "kddcup99/kddcup.data_10_percent.gz", harness.Open},
}

// toy returns the bundled sample in the format of the original file.
func toy(string) (io.ReadCloser, error) {
	z, err := gzip.NewReader(bytes.NewReader(kdd.CSVGz))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	scan := bufio.NewScanner(z)
	scan.Scan() // the header
	for scan.Scan() {
		f := strings.Split(scan.Text(), ",")
		out.WriteString(strings.Join(f[1:features+2], ",") + ".\n")
	}
	return io.NopCloser(&out), scan.Err()
}

// mapOf learns a map of records, with pca components, for placing events.
func mapOf(ctx context.Context, records *table.Table, pca, threads int) (*embed.Map, *snapshot.Snapshot, error) {
	mapping := ingest.Mapping{Log1p: true, Standardize: true}
	for _, name := range records.Names() {
		mapping.Columns = append(mapping.Columns, ingest.ColumnSpec{Name: name})
	}
	f, err := ingest.NewFitter(mapping, records.Schema())
	if err != nil {
		return nil, nil, err
	}
	if err := f.Add(records); err != nil {
		return nil, nil, err
	}
	e, err := f.Encoder()
	if err != nil {
		return nil, nil, err
	}
	b, err := e.Encode(records)
	if err != nil {
		return nil, nil, err
	}
	// Novelty does not depend on how the map is learnt.
	s, _, err := fit.Fit(ctx, b.X, fit.Spec{Common: models.Common{Steps: 1, Seed: 1, Threads: threads}, PCA: pca}, nil)
	if err != nil {
		return nil, nil, err
	}
	if s.Encoder, err = json.Marshal(e); err != nil {
		return nil, nil, err
	}
	s.Version = 1
	m, err := embed.Open(s, embed.Settings{Files: true})
	if err != nil {
		return nil, nil, err
	}
	m, err = m.For(records.Schema(), "events")
	return m, s, err
}
