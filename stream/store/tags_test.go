//go:build !gcs && !azure

package store_test

import (
	"strings"
	"testing"

	"unfold/stream/store"
)

// Stores that this program was not built with are refused with what it takes.
func TestTags(t *testing.T) {
	for url, want := range map[string]string{"gs://bucket/prefix": "-tags gcs", "azblob://container": "-tags azure"} {
		if err := store.CheckURL(url); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", url, err, want)
		}
	}
}
