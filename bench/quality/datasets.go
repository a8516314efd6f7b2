package main

import (
	"context"
	"fmt"
	"path/filepath"
)

// dataset is one of the data sets that maps are made of.
type dataset struct {
	name, title string
	// about says in a sentence what a row is and what is known of it.
	about string
	// source is the folder under the data folder that load reads.
	source string
	load   func(ctx context.Context, dir string) (*table, error)
	// targets are numbers known of each row that neighbours on the map should
	// predict; without them it is the rows' label. truth are coordinates whose
	// distances the map's should follow.
	targets, truth []string
	// color is the column that a picture shows where there are no labels.
	color string
}

// datasets are all, in the order of the page.
func datasets(venv string) []dataset {
	digits := func(ctx context.Context, _ string) (*table, error) {
		found, err := filepath.Glob(filepath.Join(venv, "lib", "python3*", "site-packages", "sklearn", "datasets", "data", "digits.csv.gz"))
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("scikit-learn's digits are not in %s: %w", venv, err)
		}
		return loadDigits(ctx, found[0])
	}
	return []dataset{
		{name: "mnist", title: "MNIST", source: "mnist", load: loadMNIST,
			about: "handwritten digits of 28 x 28 pixels; the label is the digit"},
		{name: "usps", title: "USPS", source: "usps", load: loadUSPS,
			about: "handwritten digits of 16 x 16 pixels, from envelopes; the label is the digit"},
		{name: "optdigits", title: "Optical digits", load: digits,
			about: "handwritten digits of 8 x 8 counts, as scikit-learn brings them; the label is the digit"},
		{name: "oil", title: "Oil flow", source: "oil", load: loadOil,
			about: "twelve readings of a pipeline's contents; the label is the kind of flow"},
		{name: "nslkdd", title: "NSL-KDD", source: "nslkdd", load: loadConnections,
			about: "network connections, the training set's published fifth; words one column each, numbers log(1+v) and standardised; the label is normal or the attack's name"},
		{name: "glove", title: "GloVe words", source: "wordvec", load: loadGloVe,
			about: "word vectors from Twitter, brought to length 1; the label is a category of the words in bench/quality/words.csv, the others have none"},
		{name: "word2vec", title: "word2vec words", source: "wordvec", load: loadWord2vec,
			about: "word vectors from Google News, brought to length 1; labels as above"},
		{name: "faces", title: "Isomap faces", source: "isomap_faces", load: loadFaces,
			about:   "renderings of a face; neighbours should tell its light, pan and tilt",
			targets: []string{"light", "pan", "tilt"}, color: "pan"},
		{name: "frey", title: "Frey faces", source: "frey_faces", load: loadFrey,
			about:   "frames of a film of a face; neighbours should tell the number of the frame",
			targets: []string{"frame"}, color: "frame"},
		{name: "swissroll", title: "Swiss roll", source: "swissroll", load: loadRoll,
			about:   "points of a rolled sheet; neighbours should tell the place (u, v) on the sheet, and distances on the map should order pairs as distances on the sheet do",
			targets: []string{"u", "v"}, truth: []string{"u", "v"}, color: "u"},
		{name: "climate", title: "Climate", source: "climate", load: loadClimate,
			about:   "monthly precipitation at stations in the United States; neighbours should tell latitude and longitude",
			targets: []string{"lat", "lon"}, color: "lon"},
	}
}

// labelled reports whether rows have labels, not numbers, that neighbours predict.
func (d dataset) labelled() bool { return len(d.targets) == 0 }
