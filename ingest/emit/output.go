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
	EpochName         = "map_epoch"
	VersionName       = "model_version"
	// className and probabilityName are there where classes are predicted.
	className       = "class"
	probabilityName = "class_probability"
	// ClusterName and those beside it are there where clusters are found.
	ClusterName            = "cluster"
	ClusterProbabilityName = "cluster_probability"
	ClusterOutlierName     = "cluster_outlier"
)

// optional are the names of columns that are there together or not at all. Without them they
// are anybody's.
var optional = [][]string{{className, probabilityName}, {ClusterName, ClusterProbabilityName, ClusterOutlierName}, {ReasonsName, NeighborsName}}

// partners are the columns that are there with one of that name; nil: it is always there.
func partners(name string) []string {
	for _, names := range optional {
		if slices.Contains(names, name) {
			return names
		}
	}
	return nil
}

// Output is a run of placed events: rows of a map, or a message downstream.
type Output struct {
	// ID identifies the events. No column: the row number takes its place, in
	// the file or, for a message, in the message.
	ID table.Column
	// Kept are the columns that pass through.
	Kept []table.Column
	// Embedding holds the coordinates, n x d. Of rows without places it is n x 0.
	Embedding vec.Matrix[float32]
	// Sigma, NoveltyLocal and NoveltyGlobal have n values, or are nil: then the
	// column is left out.
	Sigma, NoveltyLocal, NoveltyGlobal []float32
	// Class and Probability are the classes that are predicted for the events and how likely
	// they are, n values, or both nil.
	Class       []string
	Probability []float32
	// Cluster is the cluster that each event is in, -1 for none, ClusterProbability how surely,
	// and ClusterOutlier how far outside of its surroundings it is; n values, or all nil.
	Cluster                            []int64
	ClusterProbability, ClusterOutlier []float32
	// Reasons are the columns that make an event novel, those that carry most first, and
	// Neighbors are its nearest reference points, nearest first: n lists each, nil for events
	// that are not explained, or both nil.
	Reasons   [][]Reason
	Neighbors [][]Neighbor
	// Epoch and Version are those of the snapshot. Version 0 leaves both out.
	Epoch   uint32
	Version uint64
	// MapID is the id of the map, for the schema's metadata. Empty: there is none.
	MapID string
	// FirstRow is the row number of row 0 when there is no ID. Writers of files
	// count themselves.
	FirstRow int64
	// settled are the types of fields in Avro whose columns have none of their own.
	settled settledTypes
}

// Len returns the number of events.
func (o *Output) Len() int { return o.Embedding.Rows }

// CheckKept says which kept column a map could not hold because of its name.
// The id column may be kept too under the name id; it is not repeated.
func CheckKept(id string, keep []string) error {
	for _, name := range keep {
		if slices.Contains(reserved, name) && !(name == IDName && id == IDName) {
			return fmt.Errorf("column %q cannot be kept: the map has a column of that name itself; rename it in the input (reserved: %s)", name, table.List(reserved))
		}
	}
	return nil
}

// CheckText says which kept column would stand in the way of the coordinates' if an output
// of that name is text, where each has a column of its own: embedding_0 and so on.
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

// CheckClasses says which kept column conflicts with the columns of predicted classes.
func CheckClasses(keep []string) error {
	for _, name := range keep {
		if name == className || name == probabilityName {
			return fmt.Errorf("column %q cannot be kept: predicted classes are in columns %s and %s; rename it in the input", name, className, probabilityName)
		}
	}
	return nil
}

// CheckClusters says which kept column conflicts with the columns of clusters.
func CheckClusters(keep []string) error {
	for _, name := range []string{ClusterName, ClusterProbabilityName, ClusterOutlierName} {
		if slices.Contains(keep, name) {
			return fmt.Errorf("column %q cannot be kept: clusters have a column of that name; rename it in the input", name)
		}
	}
	return nil
}

// metadata is what the schema says of all rows.
func (o *Output) metadata() *arrow.Metadata {
	if o.MapID == "" {
		return nil
	}
	m := arrow.NewMetadata([]string{table.MapIDKey}, []string{o.MapID})
	return &m
}
