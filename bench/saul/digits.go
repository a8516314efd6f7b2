package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"unfold/bench/internal/harness"
)

// Numbers of digits: all of MNIST, and the least number that leaves some of each class for testing
// and for figure S3's most uncertain digits.
const (
	allDigits   = 70_000
	leastDigits = 700
)

// trained returns the number of training digits among n: 60,000 for all of MNIST, or the same
// share.
func trained(n int) int { return n * 6 / 7 }

// counted describes the digits of an experiment.
func counted(n int) string {
	if n == allDigits {
		return fmt.Sprintf("All %d digits", n)
	}
	return fmt.Sprintf("%d digits, the first %d to train and the first %d to test", n, trained(n), n-trained(n))
}

// idx are examples in MNIST's format: a header, then size bytes each.
type idx struct {
	head []byte
	size int
	data []byte
}

// readIDX reads a compressed file of images or labels.
func readIDX(path string) (x idx, err error) {
	f, err := harness.Open(path)
	if err != nil {
		return x, err
	}
	defer f.Close()
	all, err := io.ReadAll(f)
	if err != nil {
		return x, fmt.Errorf("%s: %w", path, err)
	}
	if len(all) < 8 || len(all) < 4+4*int(all[3]) {
		return x, fmt.Errorf("%s: %d bytes are no header of an IDX file", path, len(all))
	}
	x.size = 1
	at := 4 + 4*int(all[3])
	for p := 8; p < at; p += 4 {
		x.size *= int(binary.BigEndian.Uint32(all[p:]))
	}
	x.head, x.data = all[:at], all[at:]
	if n := int(binary.BigEndian.Uint32(all[4:])); len(x.data) != n*x.size {
		return x, fmt.Errorf("%s: %d bytes of %d examples of %d", path, len(x.data), n, x.size)
	}
	return x, nil
}

// write writes the first n examples.
func (x idx) write(path string, n int) error {
	if n*x.size > len(x.data) {
		return fmt.Errorf("%s: %d examples of %d", path, n, len(x.data)/x.size)
	}
	head := append([]byte{}, x.head...)
	binary.BigEndian.PutUint32(head[4:], uint32(n))
	return os.WriteFile(path, append(head, x.data[:n*x.size]...), 0o666)
}

// images returns, as arguments, the files of n digits and their labels, for training and for
// testing. train is the number of training digits.
func (b *bench) images(n int) (args []string, train int, err error) {
	train = trained(n)
	var labels []string
	for _, part := range []struct {
		name string
		n    int
	}{{"train", train}, {"t10k", n - train}} {
		for _, what := range []struct{ kind, of string }{{"images", "images-idx3-ubyte"}, {"labels", "labels-idx1-ubyte"}} {
			x, err := readIDX(filepath.Join(b.data, "mnist", part.name+"-"+what.of+".gz"))
			if err != nil {
				return nil, 0, err
			}
			path := b.file(fmt.Sprintf("%s-%d-%s", part.name, part.n, what.of))
			if err := x.write(path, part.n); err != nil {
				return nil, 0, err
			}
			if what.kind == "labels" {
				labels = append(labels, "--label-file", path)
			} else {
				args = append(args, path)
			}
		}
	}
	return append(args, labels...), train, nil
}
