package emit

import (
	"fmt"
	"slices"
	"strings"
	"unfold/ingest/input"
	"unfold/ingest/table"
	"unfold/internal/vec"

	"github.com/apache/arrow/go/v15/arrow"
)

// Names of the columns of a map and of a message downstream.
const (
	IDName            = "id"
	EmbeddingName     = "embedding"
	SigmaName         = "sigma"
	NoveltyLocalName  = "novelty_local"
	NoveltyGlobalName = "novelty_global"
	// LogLikName exists if likelihoods are requested.
	LogLikName  = "loglik"
	EpochName   = "map_epoch"
	VersionName = "model_version"
	// ClassName and ClassProbabilityName exist if classes are predicted.
	ClassName            = "class"
	ClassProbabilityName = "class_probability"
	// ClusterName and the names next to it exist if clusters are found.
	ClusterName            = "cluster"
	ClusterProbabilityName = "cluster_probability"
	ClusterOutlierName     = "cluster_outlier"
)

// optional lists the names of columns that exist only together. Otherwise the input may use these
// names.
var optional = [][]string{{LogLikName}, {ClassName, ClassProbabilityName}, {ClassProbabilitiesName, ClassEntropyName}, {ClusterName, ClusterProbabilityName, ClusterOutlierName}, {ReasonsName, NeighborsName}}

// partners returns the names of the columns that exist together with the named one, nil if it
// always exists.
func partners(name string) []string {
	for _, names := range optional {
		if slices.Contains(names, name) {
			return names
		}
	}
	return nil
}

// Output is a batch of placed events: rows of a map, or a message.
type Output struct {
	// ID holds the ids of the events. If there is no column, the row number in the file or message
	// is used instead.
	ID table.Column
	// Kept are the columns that are passed on.
	Kept []table.Column
	// Embedding is the n x d matrix of coordinates. For rows without places it is n x 0.
	Embedding vec.Matrix[float32]
	// holes is set if rows may lack places: their coordinates are then NaN.
	holes bool
	// Sigma, NoveltyLocal and NoveltyGlobal have n values each, or are nil if the column is left
	// out.
	Sigma, NoveltyLocal, NoveltyGlobal []float32
	// LogLik are the log-likelihoods under the model, n values, or nil if they are not requested.
	LogLik []float32
	// Class and Probability are the predicted classes and their probabilities, n values each, or
	// both nil.
	Class       []string
	Probability []float32
	// ClassShares are the probabilities of all classes, likeliest first, nil for events whose classes
	// are not predicted. ClassEntropy is their entropy in nats, NaN for those events. Both have n values
	// or are nil.
	ClassShares  [][]ClassShare
	ClassEntropy []float32
	// Cluster is the cluster of each event, -1 for none. ClusterProbability is the strength of its
	// membership and ClusterOutlier its outlier score. All have n values or are nil.
	Cluster                            []int64
	ClusterProbability, ClusterOutlier []float32
	// Reasons are the columns that make an event novel, largest share first. Neighbors are its
	// nearest reference points, nearest first. There are n lists each, nil for events that are not
	// explained, or both are nil.
	Reasons   [][]Reason
	Neighbors [][]Neighbor
	// Epoch and Version are those of the snapshot. With Version 0 both columns are left out.
	Epoch   uint32
	Version uint64
	// MapID is the id of the map, for the schema's metadata, or empty.
	MapID string
	// FirstRow is the row number of row 0 if there is no ID. Writers of files count rows
	// themselves.
	FirstRow int64
	// settled holds the Avro types of fields whose columns have inferred types.
	settled settledTypes
}

// Part returns rows from..to of a column of an output, nil if the column is left out.
func Part[T any](column []T, from, to int) []T {
	if column == nil {
		return nil
	}
	return column[from:to]
}

// Len returns the number of events.
func (o *Output) Len() int { return o.Embedding.Rows }

// CheckKept returns an error if a kept column has a name that a map reserves. The id column may
// also be kept under the name id; it is written once.
func CheckKept(id string, keep []string) error {
	for _, name := range keep {
		if slices.Contains(reserved, name) && !(name == IDName && id == IDName) {
			return fmt.Errorf("column %q cannot be kept: the map has a column of that name itself; rename it in the input (reserved: %s)", name, table.List(reserved))
		}
	}
	return nil
}

// CheckText returns an error if the output is a text file and a kept column has the name of a
// coordinate column, such as embedding_0.
func CheckText(path string, keep []string) error {
	if format, _, err := FormatOf(path); err != nil || format != input.CSV {
		return nil
	}
	for _, name := range keep {
		if n, ok := strings.CutPrefix(name, EmbeddingName+"_"); ok && strings.Trim(n, "0123456789") == "" {
			return fmt.Errorf("column %q cannot be kept in %s: as text the map has columns %s_0, %s_1 and so on itself; rename it in the input, or write another format",
				name, path, EmbeddingName, EmbeddingName)
		}
	}
	return nil
}

// CheckClasses returns an error if a kept column has the name of a column of predicted classes.
func CheckClasses(keep []string) error {
	for _, name := range keep {
		if name == ClassName || name == ClassProbabilityName {
			return fmt.Errorf("column %q cannot be kept: predicted classes are in columns %s and %s; rename it in the input", name, ClassName, ClassProbabilityName)
		}
	}
	return nil
}

// CheckLogLik returns an error if a kept column has the name of the column of likelihoods.
func CheckLogLik(keep []string) error {
	if slices.Contains(keep, LogLikName) {
		return fmt.Errorf("column %q cannot be kept: likelihoods have a column of that name; rename it in the input", LogLikName)
	}
	return nil
}

// CheckClusters returns an error if a kept column has the name of a column of clusters.
func CheckClusters(keep []string) error {
	for _, name := range []string{ClusterName, ClusterProbabilityName, ClusterOutlierName} {
		if slices.Contains(keep, name) {
			return fmt.Errorf("column %q cannot be kept: clusters have a column of that name; rename it in the input", name)
		}
	}
	return nil
}

// metadata returns the schema's metadata.
func (o *Output) metadata() *arrow.Metadata {
	if o.MapID == "" {
		return nil
	}
	m := arrow.NewMetadata([]string{table.MapIDKey}, []string{o.MapID})
	return &m
}
