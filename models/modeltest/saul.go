package modeltest

import (
	"encoding/json"
	"fmt"
	"strconv"

	"unfold/sparse/vec"
)

// Saul holds the reference numbers of one run of the latent variable model; the
// fields are explained in testdata/fixtures/saul/README.md. All indices but
// those of X and K number the N kept points.
type Saul struct {
	Name  string `json:"name"`
	K     int    `json:"k"`
	Core  int    `json:"s"`
	Level int    `json:"level"`
	Dims  int    `json:"d"`
	Dim   int    `json:"dim"`
	NAll  int    `json:"n_all"`
	N     int    `json:"n"`

	X         Dense        `json:"x"`    // n_all x dim, all rows
	Neighbors [][]int32    `json:"K"`    // eq 22, nearest first, numbering of X
	Keep      []int32      `json:"keep"` // rows of X that are kept
	MST       [][2]int32   `json:"mst"`  // T, i < j
	E         [][2]int32   `json:"E"`    // eq 24, sorted
	Delta2E   []float64    `json:"delta2_E"`
	Delta2    []float64    `json:"Delta2_level0"` // Delta_i^2
	Landmarks []int32      `json:"landmarks"`
	Of        []int32      `json:"landmark_of"`
	Super     []int32      `json:"super_landmarks"`
	SuperOf   [][2]int32   `json:"super_of"`
	Sub       IndexLists   `json:"sub_landmarks"`
	SubOf     [][2]int32   `json:"sub_of"`
	S         SimilarPairs `json:"S"`
	D         OtherPairs   `json:"D"`
	SumS      float64      `json:"sum_S"`
	SumD      float64      `json:"sum_D"`

	Spectral struct {
		Values  []float64 `json:"eigenvalues"` // d+3 smallest
		Vectors Dense     `json:"vectors"`     // n x d, unit norm
	} `json:"spectral"`
	Init struct {
		Mu     Dense     `json:"mu"`
		Sigma2 []float64 `json:"sigma2"`
		LogLik float64   `json:"loglik"`
	} `json:"init"`
	Step1 struct {
		W struct {
			I []int32   `json:"i"`
			J []int32   `json:"j"`
			W []float64 `json:"w"`
		} `json:"W"` // eq 18, i < j
		Diagonal []float64 `json:"L_diag"` // eq 19
		RHS      Dense     `json:"rhs"`    // eq 20
		Mu       Dense     `json:"mu"`
		LogLik   float64   `json:"loglik_after_mu"`
		Sigma2   []float64 `json:"sigma2"`
	} `json:"step1"`
	EM       Run `json:"em"`          // without momentum
	Momentum Run `json:"em_momentum"` // beta = 0.9, SM 43
}

// SimilarPairs lists the nonzero S_ij (rescaled) with delta_ij^2.
type SimilarPairs struct {
	I      []int32   `json:"i"`
	J      []int32   `json:"j"`
	W      []float64 `json:"w"`
	Delta2 []float64 `json:"delta2"`
}

// OtherPairs lists the nonzero D_ij (rescaled) with Delta_ij^2.
type OtherPairs struct {
	I      []int32   `json:"i"`
	J      []int32   `json:"j"`
	W      []float64 `json:"w"`
	Delta2 []float64 `json:"Delta2"`
}

// Run is a course of EM: the likelihood after 0, 1, ..., 20 steps and the state
// after some of them.
type Run struct {
	Beta   float64       `json:"beta"`
	LogLik []float64     `json:"loglik"`
	After  map[int]State `json:"after"`
}

// State is the model after a number of EM steps.
type State struct {
	Mu     Dense     `json:"mu"`
	Sigma2 []float64 `json:"sigma2"`
	LogLik float64   `json:"loglik"`
}

// Kept returns the inputs of the kept points, N x Dim.
func (s *Saul) Kept() vec.Matrix[float64] { return vec.Take(s.X.Matrix, s.Keep) }

// Dense is a matrix that JSON writes as a list of rows.
type Dense struct{ vec.Matrix[float64] }

// UnmarshalJSON reads a list of rows of equal length.
func (d *Dense) UnmarshalJSON(raw []byte) error {
	var rows [][]float64
	if err := json.Unmarshal(raw, &rows); err != nil {
		return err
	}
	d.Matrix = vec.Matrix[float64]{Rows: len(rows)}
	for i, r := range rows {
		if i == 0 {
			d.Cols = len(r)
		}
		if len(r) != d.Cols {
			return fmt.Errorf("row %d has %d entries, row 0 has %d", i, len(r), d.Cols)
		}
		d.Data = append(d.Data, r...)
	}
	return nil
}

// IndexLists maps a point to a list of points; JSON writes the keys as text.
type IndexLists map[int32][]int32

// UnmarshalJSON reads an object whose keys are numbers.
func (l *IndexLists) UnmarshalJSON(raw []byte) error {
	var text map[string][]int32
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	*l = IndexLists{}
	for key, list := range text {
		k, err := strconv.ParseInt(key, 10, 32)
		if err != nil {
			return fmt.Errorf("key %q: %w", key, err)
		}
		(*l)[int32(k)] = list
	}
	return nil
}
