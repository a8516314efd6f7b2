package ending

import (
	"context"
	"testing"
)

func TestAfter(t *testing.T) {
	ctx := After(t.Context(), 2)
	for k, want := range []error{nil, nil, context.Canceled, context.Canceled} {
		if err := ctx.Err(); err != want {
			t.Errorf("question %d: %v, want %v", k, err, want)
		}
	}
}
