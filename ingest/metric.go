package ingest

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/sparse/distance"
)

// Metric is a distance between rows. Nearly all metrics map single rows to vectors whose Euclidean
// distance is the metric. So neighbours stay exact, and learning, placement, novelty, reasons,
// clusters and scores need no special cases. The model file stores the metric with the encoder.
type Metric string

// The metrics. Every row x becomes a row x' with ||x' - y'||^2 =
const (
	// Euclidean: ||x - y||^2. The zero value is the same.
	Euclidean Metric = "euclidean"
	// Cosine: 2 (1 - cos(x, y)), of x' = x / ||x||.
	Cosine Metric = "cosine"
	// Correlation: 2 (1 - r(x, y)) with Pearson's r, of x' = (x - mean(x)) / ||x - mean(x)||.
	Correlation Metric = "correlation"
	// Hellinger: 1 - sum_k sqrt(p_k q_k) of the shares p = x / sum(x), q = y / sum(y), of
	// x' = sqrt(p / 2) (Hellinger 1909). Values are counts or shares, none below 0.
	Hellinger Metric = "hellinger"
	// Haversine: the squared chord in km between two points on the earth, given as latitude and
	// longitude in degrees, of x' in three dimensions. The chord 2R sin(s / 2R) grows with the
	// great-circle distance s, so the neighbours are the same.
	Haversine Metric = "haversine"
	// Hamming: the number of columns in which x and y differ (Hamming 1950), of x' = x if all
	// values are 0 or 1. It is twice that number with categories, each of which has its own
	// element. See hamming.go.
	Hamming Metric = "hamming"
	// Mahalanobis: (x - y)' C^-1 (x - y) with the covariance C of the learnt rows, of the whitened
	// rows. See whiten.go.
	Mahalanobis Metric = "mahalanobis"
)

// Metrics that cannot be made Euclidean by mapping single rows. Their rows stay unchanged, and
// everything after the encoder uses another distance (Distance), which package distance defines.
const (
	Jaccard   Metric = "jaccard"
	Manhattan Metric = "manhattan"
	Chebyshev Metric = "chebyshev"
	// Canberra and BrayCurtis are for counts and amounts, Dice, RogersTanimoto and SokalSneath for
	// rows of 0 and 1.
	Canberra       Metric = "canberra"
	BrayCurtis     Metric = "braycurtis"
	Dice           Metric = "dice"
	RogersTanimoto Metric = "rogerstanimoto"
	SokalSneath    Metric = "sokalsneath"
)

// metric is the entry of a metric in the table.
type metric struct {
	name Metric
	// about completes the sentence "rows are near if".
	about string
	// distance is the distance of encoded rows; the zero value is the Euclidean one.
	distance distance.Distance
	// bits is true if rows must consist of 0 and 1. directs is true if only the direction of a row
	// counts: a row of zeros, or of equal values for correlation, has none. zeros is true if 0 is
	// mapped to 0, so that sparse rows stay sparse; rows of bits are not kept sparse, because they
	// are searched as bits.
	bits, directs, zeros bool
	// whitens is true for a metric that needs the covariance of the learnt rows.
	whitens bool
	// part names the part of a row that the metric uses; "" if it is everything.
	part string
	// domain is nil if the metric is defined for all values.
	domain *distance.Domain
	// single and double map one row. They return the problem and its element, or whole. They are nil
	// if rows stay unchanged.
	single func(m Metric, x, from []float32) (at int, problem string)
	double func(m Metric, x, from []float64) (at int, problem string)
}

// metrics are all metrics, the default first.
var metrics = append([]metric{
	{name: Euclidean, about: distance.Euclidean.About(), zeros: true},
	{name: Cosine, about: "directions are alike", directs: true, zeros: true, part: "directions", single: direction[float32], double: direction[float64]},
	{name: Correlation, about: "profiles are alike", directs: true, part: "directions", single: profile[float32], double: profile[float64]},
	{name: Hellinger, about: "shares are alike", zeros: true, part: "shares", single: shares[float32], double: shares[float64]},
	{name: Haversine, about: "they are near on the earth (columns LAT,LON in degrees)", single: onEarth[float32], double: onEarth[float64]},
	{name: Mahalanobis, about: "differences are small beside the variances and correlations of the columns", whitens: true},
	{name: Hamming, about: "few columns differ (of 0 and 1, or categories)", bits: true, domain: distance.ZerosAndOnes},
}, ofDistances()...)

// ofDistances returns the metrics whose rows stay unchanged and have a distance of their own.
func ofDistances() (all []metric) {
	for _, d := range distance.All()[1:] {
		all = append(all, ofDistance(d))
	}
	return all
}

func ofDistance(d distance.Distance) metric {
	return metric{name: Metric(d.String()), about: d.About(), distance: d, bits: d.Bits(), domain: d.Domain()}
}

// entry returns the entry of a known metric.
func (m Metric) entry() *metric {
	for i := range metrics {
		if metrics[i].name == m {
			return &metrics[i]
		}
	}
	if d, err := distance.Parse(string(m)); err == nil { // with a power that the table does not have
		e := ofDistance(d)
		return &e
	}
	return &metrics[0]
}

// Metrics returns all metrics, the default first. Of Minkowski's it has two powers.
func Metrics() (all []Metric) {
	for _, e := range metrics {
		all = append(all, e.name)
	}
	return all
}

// choice returns the name of a metric in a list of choices, in which P stands for a power.
func (e *metric) choice() string {
	if e.distance != distance.Euclidean {
		return e.distance.Choice()
	}
	return string(e.name)
}

// Choices returns the names of all metrics; P stands for a power. Together with About it
// makes a metric a setting.
func (Metric) Choices() (all []string) {
	for i := range metrics {
		all = append(all, metrics[i].choice())
	}
	return slices.Compact(all)
}

// About describes all metrics in a sentence.
func (Metric) About() string {
	var parts []string
	for i := range metrics {
		parts = append(parts, "under "+metrics[i].choice()+" if "+metrics[i].about)
	}
	return "Rows are near " + strings.Join(slices.Compact(parts), "; ") + "."
}

// earthRadius is the mean radius of the earth in km (IUGG).
const earthRadius = 6371.0088

// named reports whether the metric is not Euclidean.
func (m Metric) named() bool { return m != "" && m != Euclidean }

// warps reports whether the metric changes rows.
func (m Metric) warps() bool { return m.entry().single != nil || m.whitens() }

// whitens reports whether the metric needs the covariance of the learnt rows.
func (m Metric) whitens() bool { return m.entry().whitens }

// bits reports whether rows must consist of 0 and 1.
func (m Metric) bits() bool { return m.entry().bits }

// Distance returns the distance of encoded rows, which is Euclidean for most metrics.
func (m Metric) Distance() distance.Distance { return m.entry().distance }

// Whole reports whether vectors should not be projected before the neighbour search. Rows of bits
// are searched exactly, and faster than a projection to fewer numbers. Whitened rows vary equally in
// all directions.
func (m Metric) Whole() bool { return m == Hamming || m.whitens() }

// Check returns an error for an unknown metric.
func (m Metric) Check() error {
	if m == "" || slices.ContainsFunc(metrics, func(e metric) bool { return e.name == m }) {
		return nil
	}
	_, err := distance.Parse(string(m))
	all := m.Choices()
	if base, _, _ := strings.Cut(string(m), ":"); err != nil && !slices.Contains(all, base+":P") {
		return fmt.Errorf("the metric %q is not known; metrics are %s", m, strings.Join(all, ", "))
	}
	return err
}

// dim returns the length of a row of n values after the metric.
func (m Metric) dim(n int) int {
	if m == Haversine {
		return 3
	}
	return n
}

// checkDim checks that the metric is defined for rows of n values; o and column are for errors.
func (m Metric) checkDim(n int, o table.Origin, column string) error {
	switch {
	case m == Haversine && (n != 2 || column != ""):
		return o.BadColumn(column, "the metric haversine takes two plain columns, latitude and longitude in degrees; there are %d values a row", n).
			Suggest("name the two: --columns lat,lon")
	case m.whitens() && n > maxWhitened:
		return o.BadColumn(column, "the metric %s takes at most %d values a row; there are %d", m, maxWhitened, n).Suggest("project them first")
	case m == Correlation && n < 2:
		return o.BadColumn(column, "the metric correlation takes two values a row or more")
	}
	return nil
}

// directs reports whether only the direction of a row counts.
func (m Metric) directs() bool { return m.entry().directs }

// PartOfRow names the part of a row that the metric uses and that Undo returns; "" if it is
// everything.
func (m Metric) PartOfRow() string { return m.entry().part }

// applyMetric maps the encoded rows of from to x, which may share their memory. o is the origin of
// row 0. It returns the number of rows without a direction.
func applyMetric[T vec.Float](e *Encoder, x, from vec.Matrix[T], o table.Origin) (blank int, err error) {
	switch {
	case !e.metric.named():
		return 0, nil
	case e.white != nil:
		whiten(e.white, x, from)
		return 0, nil
	}
	m, dim := e.metric.entry(), e.metric.dim(e.inner)
	for i := range from.Rows {
		at, problem := metricRow(m, x.Row(i)[:dim], from.Row(i))
		if e.blank {
			x.Row(i)[x.Cols-1] = 0
		}
		switch {
		case problem == "":
		case m.directs:
			blank++
			clear(x.Row(i))
			if e.blank {
				x.Row(i)[x.Cols-1] = 1
			}
		default:
			return blank, e.metric.refuse(o, i, e.vector, e.names, at, problem)
		}
	}
	return blank, nil
}

// whole stands for all elements of a row in an error.
const whole = -1

// refuse returns the error of element at of row i.
func (m Metric) refuse(o table.Origin, i int, column string, names []string, at int, problem string) error {
	switch {
	case at == whole:
	case names != nil:
		column, problem = names[at], "the value "+problem
	default:
		problem = fmt.Sprintf("value %d %s", at, problem)
	}
	return o.BadAt(i, column, "%s", problem).Suggest("drop such rows, or choose another metric than %s", m)
}

// keepsZeros reports whether sparse rows stay sparse.
func (m Metric) keepsZeros() bool { return m.entry().zeros }

// metricRow maps one row. It returns the problem and its element, or whole.
func metricRow[T vec.Float](e *metric, x, from []T) (at int, problem string) {
	if e.domain != nil {
		for k, v := range from {
			if !e.domain.Has(float64(v)) {
				return k, fmt.Sprintf("is %v, and the metric %s takes %s", v, e.name, e.domain.Words)
			}
		}
	}
	if e.single == nil {
		copy(x, from)
		return whole, ""
	}
	if x, single := any(x).([]float32); single {
		return e.single(e.name, x, any(from).([]float32))
	}
	return e.double(e.name, any(x).([]float64), any(from).([]float64))
}

// direction writes the direction of a row, for cosine.
func direction[T vec.Float](_ Metric, x, from []T) (at int, problem string) {
	return whole, direct(x, from, 0, "all its values are 0, and so it has no direction")
}

// profile writes the direction of a row less its mean, for correlation.
func profile[T vec.Float](_ Metric, x, from []T) (at int, problem string) {
	sum, same := 0.0, true
	for _, v := range from {
		sum += float64(v)
		same = same && v == from[0]
	}
	if same {
		return whole, "all its values are the same, and so it correlates with nothing"
	}
	return whole, direct(x, from, sum/float64(len(from)), "its values hardly differ")
}

// direct writes (from - mean) / ||from - mean||. It returns none for a row of length 0.
func direct[T vec.Float](x, from []T, mean float64, none string) string {
	sum := 0.0
	for _, v := range from {
		d := float64(v) - mean
		sum += float64(d * d) // not fused into the sum on any CPU
	}
	if sum == 0 {
		return none
	}
	norm := math.Sqrt(sum)
	for k, v := range from {
		x[k] = T((float64(v) - mean) / norm)
	}
	return ""
}

// shares writes sqrt(p/2) of the row's shares p.
func shares[T vec.Float](_ Metric, x, from []T) (at int, problem string) {
	sum := 0.0
	for k, v := range from {
		if v < 0 {
			return k, belowZero(v)
		}
		sum += float64(v)
	}
	if sum == 0 {
		return whole, "all its values are 0, and so they have no shares"
	}
	for k, v := range from {
		x[k] = T(math.Sqrt(float64(v) / sum / 2))
	}
	return whole, ""
}

func belowZero[T vec.Float](v T) string {
	return fmt.Sprintf("is %v, below 0, and the metric hellinger takes counts or shares", v)
}

// onEarth writes the point with latitude and longitude in degrees, in km from the earth's centre.
func onEarth[T vec.Float](_ Metric, x, from []T) (at int, problem string) {
	lat, lon := float64(from[0]), float64(from[1])
	if math.Abs(lat) > 90 || math.Abs(lon) > 360 {
		return whole, fmt.Sprintf("latitude %v and longitude %v are no point of the earth in degrees", from[0], from[1])
	}
	sinLat, cosLat := math.Sincos(lat * math.Pi / 180)
	sinLon, cosLon := math.Sincos(lon * math.Pi / 180)
	x[0], x[1], x[2] = T(earthRadius*cosLat*cosLon), T(earthRadius*cosLat*sinLon), T(earthRadius*sinLat)
	return whole, ""
}

// place is the inverse of onEarth, for any point near the earth's surface.
func place(x []float64) (lat, lon float64) {
	return math.Atan2(x[2], math.Hypot(x[0], x[1])) * 180 / math.Pi, math.Atan2(x[1], x[0]) * 180 / math.Pi
}
