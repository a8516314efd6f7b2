package kafka

import (
	"fmt"
	"io"

	"github.com/segmentio/kafka-go/compress"
)

// inflateLimit bounds what one compressed batch may unfold to. Without a bound a
// batch of 100 kB can become gigabytes (and four times that while it is parsed)
// before any of this program's code sees it, and would again after every restart.
// A batch beyond it becomes one dead letter (see refused). Tests lower it.
var inflateLimit int64 = 128 << 20

// The library has no setting for this; its table of codecs is the only place
// where a bound can be put. Writing is not touched.
func init() {
	for i, c := range compress.Codecs {
		if c != nil {
			compress.Codecs[i] = boundedCodec{c}
		}
	}
}

// boundedCodec is a codec whose readers stop at inflateLimit.
type boundedCodec struct{ compress.Codec }

func (c boundedCodec) NewReader(r io.Reader) io.ReadCloser {
	return &boundedReader{ReadCloser: c.Codec.NewReader(r), codec: c.Name(), left: inflateLimit}
}

type boundedReader struct {
	io.ReadCloser
	codec string
	left  int64
}

// Read implements io.Reader.
func (b *boundedReader) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, &inflateError{b.codec}
	}
	return n, err
}

// inflateError says that a batch is larger than inflateLimit.
type inflateError struct{ codec string }

func (e *inflateError) Error() string {
	return fmt.Sprintf("a %s batch unfolds to more than %d bytes: it is refused, as it might exhaust the memory; "+
		"if it is harmless produce it again in smaller batches", e.codec, inflateLimit)
}
