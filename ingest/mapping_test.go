package ingest_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"unfold/ingest"
)

// Every stored field of a mapping says which setting it is, so that a difference names it, and the
// text of its zero value is that of the default.
func TestDifferences(t *testing.T) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[ingest.Mapping]()) {
		stored, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if stored = strings.Trim(stored, "-"); len(f.Index) == 1 && (stored == "") != (f.Tag.Get("setting") == "") {
			t.Errorf("field %s has the tags %s", f.Name, f.Tag)
		}
	}
	was := ingest.Mapping{Vector: "v", MaxVocabulary: ingest.DefaultVocabulary, Fill: true, Metric: ingest.Euclidean, Drop: true}
	if got := was.Differences(ingest.Mapping{Vector: "v", Fill: true}); got != nil {
		t.Errorf("defaults that are named differ: %q", got)
	}
	want := []string{
		"vector v, and the settings say (none)", `columns (none), and the settings say [{"name":"a","weight":2}]`,
		"standardize false, and the settings say true", "vocabulary 64, and the settings say 9",
		"metric euclidean, and the settings say cosine", "missing mean, and the settings say error",
	}
	now := ingest.Mapping{Columns: []ingest.ColumnSpec{{Name: "a", Weight: 2}}, Standardize: true, MaxVocabulary: 9, Metric: ingest.Cosine}
	if got := was.Differences(now); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
