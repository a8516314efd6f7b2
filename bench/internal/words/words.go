// Package words reads word vectors.
package words

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strings"

	"unfold/bench/internal/harness"
	"unfold/internal/vec"
)

// File returns the path of word2vec's vectors in the folder of data sets.
func File(data string) string {
	return filepath.Join(data, "wordvec", "googlenews_word2vec_8000x300.bin.gz")
}

// Read reads word2vec's binary format, through gzip: "n dim\n", then for each word the word, a
// blank, dim little-endian float32 and "\n". Vectors are unchanged, n x dim.
func Read(path string) (names []string, x vec.Matrix[float32], err error) {
	f, err := harness.Open(path)
	if err != nil {
		return nil, x, err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	var n, dim int
	if _, err := fmt.Fscanf(r, "%d %d\n", &n, &dim); err != nil {
		return nil, x, fmt.Errorf("%s: %w", path, err)
	}
	x, names = vec.New[float32](n, dim), make([]string, n)
	for i := range n {
		name, err := r.ReadString(' ')
		if err == nil {
			err = binary.Read(r, binary.LittleEndian, x.Row(i))
		}
		if err != nil {
			return nil, x, fmt.Errorf("%s: word %d: %w", path, i, err)
		}
		names[i] = strings.TrimSpace(name)
	}
	return names, x, nil
}
