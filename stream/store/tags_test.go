//go:build !gcs && !azure

package store_test

import (
	"strings"
	"testing"

	"unfold/stream/store"
)

// A URL of a store that this program was built without is refused, and the error names the build
// tag that is needed.
func TestTags(t *testing.T) {
	for url, want := range map[string]string{"gs://bucket/prefix": "-tags gcs", "azblob://container": "-tags azure"} {
		if err := store.CheckURL(url); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", url, err, want)
		}
	}
}
