package ingest

import (
	"fmt"
	"math"
	"strings"

	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/sparse/distance"
)

// Metric is a distance between rows. Nearly all are maps of single rows, after which the Euclidean
// distance is the one that the metric names: so
// neighbours stay exact, and learning, placing, novelty, reasons, clusters and scores follow
// it alike. The model's file keeps it with the encoder.
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
	// Haversine: the squared chord in km between two points of the earth, given as latitude
	// and longitude in degrees, of x' in three dimensions. The chord 2R sin(s / 2R) grows
	// with the great-circle distance s, so that neighbours are the same.
	Haversine Metric = "haversine"
	// Hamming: the number of columns in which x and y differ (Hamming 1950), of x' = x where
	// all values are 0 or 1; twice that number where there are categories, each an element
	// of its own. See hamming.go.
	Hamming Metric = "hamming"
)

// The metrics that no map of single rows makes Euclidean. Their rows stay as they are, and all
// behind the encoder goes by a distance of its own (Distance), whose formulas package distance has.
const (
	Jaccard   Metric = "jaccard"
	Manhattan Metric = "manhattan"
	Chebyshev Metric = "chebyshev"
)

// metrics are all of them.
var metrics = []string{string(Euclidean), string(Cosine), string(Correlation), string(Hellinger), string(Haversine), string(Hamming), string(Jaccard), string(Manhattan), string(Chebyshev)}

// Metrics lists all of them, the default first.
func Metrics() (all []Metric) {
	for _, m := range metrics {
		all = append(all, Metric(m))
	}
	return all
}

// earthRadius is the mean radius of the earth in km (IUGG).
const earthRadius = 6371.0088

// named says that the metric is not the Euclidean one.
func (m Metric) named() bool { return m != "" && m != Euclidean }

// warps says that rows do not stay as they are.
func (m Metric) warps() bool { return m.named() && !m.bits() && m.Distance() == distance.Euclidean }

// bits says that rows are of 0 and 1.
func (m Metric) bits() bool { return m == Hamming || m == Jaccard }

// Distance is that of encoded rows: mostly the Euclidean one.
func (m Metric) Distance() distance.Distance {
	switch m {
	case Jaccard:
		return distance.Jaccard
	case Manhattan:
		return distance.Manhattan
	case Chebyshev:
		return distance.Chebyshev
	}
	return distance.Euclidean
}

// Whole says that vectors should not be projected before their neighbours are sought: they
// are bits, which are searched faster than fewer numbers, and exactly.
func (m Metric) Whole() bool { return m == Hamming }

// check fails for a metric that is not known.
func (m Metric) check() error {
	for _, known := range append(metrics, "") {
		if string(m) == known {
			return nil
		}
	}
	return fmt.Errorf("the metric %q is not known; metrics are %s", m, strings.Join(metrics, ", "))
}

// dim is the length of a row of n values behind the metric.
func (m Metric) dim(n int) int {
	if m == Haversine {
		return 3
	}
	return n
}

// checkDim says whether rows of n values have the metric; o and column name them.
func (m Metric) checkDim(n int, o table.Origin, column string) error {
	switch {
	case m == Haversine && (n != 2 || column != ""):
		return o.BadColumn(column, "the metric haversine takes two plain columns, latitude and longitude in degrees; there are %d values a row", n).
			Suggest("name the two: --columns lat,lon")
	case m == Correlation && n < 2:
		return o.BadColumn(column, "the metric correlation takes two values a row or more")
	}
	return nil
}

// directs says that only the direction of a row counts, which a row of zeros, or of equal values, has not.
func (m Metric) directs() bool { return m == Cosine || m == Correlation }

// PartOfRow names what of a row the metric takes, and so what Undo returns; "" if all.
func (m Metric) PartOfRow() string {
	switch {
	case m.directs():
		return "directions"
	case m == Hellinger:
		return "shares"
	}
	return ""
}

// applyMetric maps the rows of from, as they are encoded, to x, which may share their memory. o is
// the place of row 0. It returns how many rows have no direction.
func applyMetric[T vec.Float](e *Encoder, x, from vec.Matrix[T], o table.Origin) (blank int, err error) {
	if !e.metric.named() {
		return 0, nil
	}
	for i := range from.Rows {
		at, problem := metricRow(e.metric, x.Row(i)[:e.metric.dim(e.inner)], from.Row(i))
		if e.blank {
			x.Row(i)[x.Cols-1] = 0
		}
		switch {
		case problem == "":
		case e.metric.directs():
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

// whole is the element of a problem that is one of a whole row.
const whole = -1

// refuse is the error of row i, whose element at has a problem.
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

// keepsZeros says that a value of 0 stays one, and so has no part in a sparse row. Hamming's
// rows are searched as bits, all of them.
func (m Metric) keepsZeros() bool {
	return m != Correlation && m != Haversine && !m.bits() && m.Distance() == distance.Euclidean
}

// metricRow maps one row, and returns what is wrong with it, and with which element or the whole.
func metricRow[T vec.Float](m Metric, x, from []T) (at int, problem string) {
	switch m {
	case Cosine:
		return whole, direct(x, from, 0, "all its values are 0, and so it has no direction")
	case Correlation:
		sum, same := 0.0, true
		for _, v := range from {
			sum += float64(v)
			same = same && v == from[0]
		}
		if same {
			return whole, "all its values are the same, and so it correlates with nothing"
		}
		return whole, direct(x, from, sum/float64(len(from)), "its values hardly differ")
	case Hellinger:
		return shares(x, from)
	case Hamming, Jaccard:
		return zerosAndOnes(m, x, from)
	case Manhattan, Chebyshev:
		copy(x, from)
		return whole, ""
	}
	return whole, onEarth(x, from)
}

// direct writes (from - mean) / ||from - mean||; none says what a row of length 0 lacks.
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
func shares[T vec.Float](x, from []T) (at int, problem string) {
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

// onEarth writes the point of latitude and longitude in degrees, in km from the centre.
func onEarth[T vec.Float](x, from []T) string {
	lat, lon := float64(from[0]), float64(from[1])
	if math.Abs(lat) > 90 || math.Abs(lon) > 360 {
		return fmt.Sprintf("latitude %v and longitude %v are no point of the earth in degrees", from[0], from[1])
	}
	sinLat, cosLat := math.Sincos(lat * math.Pi / 180)
	sinLon, cosLon := math.Sincos(lon * math.Pi / 180)
	x[0], x[1], x[2] = T(earthRadius*cosLat*cosLon), T(earthRadius*cosLat*sinLon), T(earthRadius*sinLat)
	return ""
}

// place is the inverse of onEarth for any point near it.
func place(x []float64) (lat, lon float64) {
	return math.Atan2(x[2], math.Hypot(x[0], x[1])) * 180 / math.Pi, math.Atan2(x[1], x[0]) * 180 / math.Pi
}
