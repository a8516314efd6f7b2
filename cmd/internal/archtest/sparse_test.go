package archtest

import (
	"reflect"
	"testing"

	"unfold/ingest/table"
	"unfold/sparse"
)

// Sparse rows are the CSR matrix of james-bowman/sparse in all layers: a reader returns that type.
// sparse.TestBowman tests that nothing is copied.
func TestSparseRowsAreBowmans(t *testing.T) {
	matrix, ok := reflect.TypeFor[table.Sparse]().MethodByName("Matrix")
	if !ok || matrix.Type.Out(0) != reflect.TypeFor[*sparse.Rows]() {
		t.Fatalf("a reader of sparse rows returns %v", matrix.Type)
	}
	held := reflect.TypeFor[sparse.Rows]().Field(0)
	if p := held.Type; !held.Anonymous || p.Kind() != reflect.Pointer || p.Elem().PkgPath() != "github.com/james-bowman/sparse" || p.Elem().Name() != "CSR" {
		t.Fatalf("rows hold a %v", held.Type)
	}
}
