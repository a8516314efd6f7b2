package ingest_test

import (
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/ingest/table"
)

// A sparse matrix of scipy is called one, not an archive of which to choose an array.
func TestSparseMatrixIsNamed(t *testing.T) {
	for _, kind := range []string{"csr", "coo"} {
		_, err := ingest.Open(t.Context(), foreignTable("sparse-"+kind+".npz"), ingest.Options{})
		if !table.IsBadInput(err) || !strings.Contains(err.Error(), "it holds a sparse matrix, as scipy.sparse.save_npz writes it") {
			t.Errorf("%s: error %v", kind, err)
		}
	}
}
