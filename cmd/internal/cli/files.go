package cli

import (
	"bufio"
	"io"
	"os"

	"unfold/internal/wholefile"
)

// writeFile writes a file as a whole or not at all; "-" is standard output.
func writeFile(path string, stdout io.Writer, write func(io.Writer) error) error {
	if path != "-" {
		return wholefile.Write(path, write)
	}
	b := bufio.NewWriter(stdout)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}

// checkWritable says early, before hours of work, that an output could not be
// written at its end.
func checkWritable(paths ...string) error {
	for _, path := range paths {
		if path == "" || path == "-" {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return usagef("%s is a directory; name a file", path)
		}
		if err := wholefile.Check(path); err != nil {
			return err
		}
	}
	return nil
}
