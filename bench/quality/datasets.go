package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// dataset is a data set for making maps.
type dataset struct {
	name, title string
	// about describes a row and its labels in a sentence.
	about string
	// find returns the path for load, or fs.ErrNotExist. data is the folder of all data.
	find func(data string) (string, error)
	load func(ctx context.Context, path string) (*table, error)
	// targets are numeric columns that neighbours on the map should predict; without them it is the
	// label. truth are coordinates whose distances the map should preserve.
	targets, truth []string
	// color is the column that a picture shows if there are no labels.
	color string
	// unknown is true for sets without anything that neighbours could predict.
	unknown bool
	// metric is the distance of the data, "" for the Euclidean one.
	metric string
	// text is true for embeddings of words and sentences.
	text bool
	// quick is the number of rows for -quick, drawn with a fixed seed; 0 means all.
	quick int
}

// folder finds a folder of the data folder.
func folder(name string) func(string) (string, error) {
	return func(data string) (string, error) {
		path := filepath.Join(data, name)
		_, err := os.Stat(path)
		return path, err
	}
}

// digitsFile finds the digits that come with scikit-learn, in the peers' Python
// environment.
func digitsFile(venv string) func(string) (string, error) {
	return func(string) (string, error) {
		pattern := filepath.Join(venv, "lib", "python3*", "site-packages", "sklearn", "datasets", "data", "digits.csv.gz")
		found, err := filepath.Glob(pattern)
		if err != nil {
			return "", fmt.Errorf("%s: %w", pattern, err)
		}
		if len(found) == 0 {
			return "", fmt.Errorf("%s: %w", pattern, fs.ErrNotExist)
		}
		return found[0], nil
	}
}

// mnistName is the data set of most targets and of the parts that are not data sets.
const mnistName = "mnist"

// cosine is the metric of embeddings of text.
const cosine = "cosine"

// rollName is the data set with known distances on the sheet.
const rollName = "swissroll"

// datasets returns the data sets of this run: all, or toy data instead.
func (b *bench) datasets() []dataset {
	all := datasets(b.peers.Dir(b.out))
	if b.small {
		for i, d := range all {
			all[i] = toy(d)
		}
	}
	return all
}

// datasets returns all data sets in the order of the page.
func datasets(venv string) []dataset {
	return []dataset{
		{name: mnistName, title: "MNIST", find: folder("mnist"), load: loadMNIST, quick: 10_000,
			about: "handwritten digits of 28 x 28 pixels; the label is the digit"},
		{name: "usps", title: "USPS", find: folder("usps"), load: loadUSPS,
			about: "handwritten digits of 16 x 16 pixels, from envelopes; the label is the digit"},
		{name: "optdigits", title: "Optical digits", find: digitsFile(venv), load: loadDigits,
			about: "handwritten digits of 8 x 8 counts, as scikit-learn brings them; the label is the digit"},
		{name: "oil", title: "Oil flow", find: folder("oil"), load: loadOil,
			about: "twelve readings of a pipeline's contents; the label is the kind of flow"},
		{name: "nslkdd", title: "NSL-KDD", find: folder("nslkdd"), load: loadConnections,
			about: "network connections, the training set's published fifth; words one column each, numbers log(1+v) and standardised; the label is normal or the attack's name"},
		{name: "glove", title: "GloVe words", find: folder("wordvec"), load: loadGloVe,
			metric: cosine, text: true, about: "word vectors from Twitter, compared by angle; the label is a category of the words in bench/quality/words.csv, the others have none"},
		{name: "word2vec", title: "word2vec words", find: folder("wordvec"), load: loadWord2vec,
			metric: cosine, text: true, about: "word vectors from Google News, compared by angle; labels as above"},
		{name: "glosses", title: "Glosses", find: folder("glosses"), load: loadGlosses,
			metric: cosine, text: true, about: "definitions in WordNet by a sentence model (all-MiniLM-L6-v2), compared by angle; the label is the lexicographers' category"},
		{name: "faces", title: "Isomap faces", find: folder("isomap_faces"), load: loadFaces,
			about:   "renderings of a face; neighbours should predict its light, pan and tilt",
			targets: []string{"light", "pan", "tilt"}, color: "pan"},
		{name: "frey", title: "Frey faces", find: folder("frey_faces"), load: loadFrey,
			about:   "frames of a film of a face; neighbours should predict the number of the frame",
			targets: []string{"frame"}, color: "frame"},
		{name: rollName, title: "Swiss roll", find: folder("swissroll"), load: loadRoll,
			about:   "points of a rolled sheet; neighbours should predict the place (u, v) on the sheet, and distances on the map should order pairs as distances on the sheet do",
			targets: []string{"u", "v"}, truth: []string{"u", "v"}, color: "u"},
		{name: "climate", title: "Climate", find: folder("climate"), load: loadClimate,
			about:   "monthly precipitation at stations in the United States; neighbours should predict latitude and longitude",
			targets: []string{"lat", "lon"}, color: "lon"},
		{name: "mammoth", title: "Mammoth", find: folder("mammoth"), load: loadMammoth, unknown: true,
			about: "points on the surface of a mammoth's skeleton; the colour is the first coordinate", color: "x"},
	}
}

// labelled reports whether neighbours predict labels rather than numbers.
func (d dataset) labelled() bool { return len(d.targets) == 0 && !d.unknown }
