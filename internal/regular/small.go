package regular

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// MostSmall is the maximum size of a small file in bytes.
const MostSmall = 16 << 20

// smallTime is the time that a named pipe or a device has to give a small file.
const smallTime = 8 * time.Second

// ReadSmall reads a configuration, a token or the like, of at most MostSmall bytes. It may come
// through a named pipe, as from a shell's <(command), within some seconds.
func ReadSmall(path string) ([]byte, error) { return readSmall(path, smallTime) }

func readSmall(path string, within time.Duration) ([]byte, error) {
	if info, err := os.Stat(path); err != nil || info.Mode().IsRegular() || info.IsDir() {
		return limited(path)
	}
	type answer struct {
		text []byte
		err  error
	}
	done := make(chan answer, 1)
	// Opening a pipe without a writer cannot be interrupted. The goroutine may outlive this call,
	// whose error ends the program.
	go func() {
		text, err := limited(path)
		done <- answer{text, err}
	}()
	select {
	case a := <-done:
		return a.text, a.err
	case <-time.After(within):
		return nil, fmt.Errorf("%s: nothing came through it for %v; is it the right file?", path, within)
	}
}

func limited(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(f, MostSmall+1))
	if err == nil && len(text) > MostSmall {
		err = fmt.Errorf("%s: it has more than %d MiB; is it the right file?", path, MostSmall>>20)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	return text, nil
}
