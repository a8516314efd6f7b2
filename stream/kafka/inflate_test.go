package kafka

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/segmentio/kafka-go/compress"
)

func TestBoundedCodecs(t *testing.T) {
	defer func(was int64) { inflateLimit = was }(inflateLimit)
	inflateLimit = 100_000
	for _, codec := range compress.Codecs {
		if codec == nil {
			continue
		}
		for size, fits := range map[int]bool{0: true, 99_999: true, 100_000: true, 100_001: false, 5_000_000: false} {
			var b bytes.Buffer
			w := codec.NewWriter(&b)
			if _, err := w.Write(make([]byte, size)); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			r := codec.NewReader(&b)
			data, err := io.ReadAll(r)
			r.Close()
			var ie *inflateError
			if fits && (err != nil || len(data) != size) || !fits && !errors.As(err, &ie) {
				t.Errorf("%s, %d bytes: read %d, %v", codec.Name(), size, len(data), err)
			}
		}
	}
}
