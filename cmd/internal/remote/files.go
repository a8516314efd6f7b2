package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"unfold/cmd/internal/humanize"
	"unfold/ingest/input"
	"unfold/ingest/table"
	secret "unfold/internal/address"
	"unfold/internal/disk"
	"unfold/stream/store"
)

// Files are local copies of remote inputs. The zero value works. One goroutine may use it; another
// one may call Close.
type Files struct {
	// Progress, if not nil, is called during a download with the address, the bytes so far and the
	// total, 0 if unknown.
	Progress func(address string, done, total int64)
	// Most is the maximum size of an object in bytes; 0 means nine tenths of the free disk space.
	Most int64
	// Elsewhere allows web pages to redirect to other hosts.
	Elsewhere bool
	// Idle is the timeout for further bytes; 0 means a minute.
	Idle time.Duration

	// mu guards folder; copies are of that folder.
	mu     sync.Mutex
	folder string
	closed bool
	copies map[string]string
}

// Close removes the copies.
func (f *Files) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	if f.folder == "" {
		return nil
	}
	return os.RemoveAll(f.folder)
}

// Local returns the path of a local copy of the object at an address. Its errors are *table.Error
// with the address, except those of the disk.
func (f *Files) Local(ctx context.Context, address string) (string, error) {
	if local, done := f.copies[address]; done {
		return local, nil
	}
	if err := f.begin(); err != nil {
		return "", fmt.Errorf("a folder for copies of inputs: %w", err)
	}
	local, err := f.fetch(ctx, address)
	if err != nil {
		return "", err
	}
	f.copies[address] = local
	return local, nil
}

// begin creates the folder of the copies.
func (f *Files) begin() (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.closed:
		return os.ErrClosed
	case f.folder == "":
		f.folder, err = os.MkdirTemp("", "unfold-inputs-*")
		f.copies = map[string]string{}
	}
	return err
}

// fetch copies the object at an address to a file.
func (f *Files) fetch(ctx context.Context, address string) (string, error) {
	waiting, dog, done := watched(ctx, f.idle())
	defer done()
	in, size, err := f.open(waiting, address)
	if err == nil {
		defer in.Close()
		return f.save(waiting, address, fed{in, dog}, size)
	}
	if c := cause(waiting, nil); c != nil {
		return "", bad(address, c)
	}
	return "", err
}

// fed resets a watchdog whenever bytes arrive.
type fed struct {
	io.Reader
	dog watchdog
}

func (f fed) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if n > 0 {
		f.dog.feed()
	}
	return n, err
}

// room returns the maximum size of an object in bytes.
func (f *Files) room() int64 {
	if f.Most > 0 {
		return f.Most
	}
	if have, _ := disk.Free(f.folder); have >= 0 {
		return have / 10 * 9
	}
	return math.MaxInt64
}

// tooLarge returns the error for an object of more than most bytes.
func (f *Files) tooLarge(address string, most int64) error {
	e := table.Origin{File: address}.Bad("it has more than %s", humanize.Bytes(most))
	if f.Most > 0 {
		return e.Suggest("--max-download allows more")
	}
	return e.Suggest("the disk of %s has no room for more: name another folder in TMPDIR", f.folder)
}

// save copies a stream to a file.
func (f *Files) save(ctx context.Context, address string, in io.Reader, size int64) (local string, err error) {
	// The suffix may name a part of the file: an array of an .npz.
	whole, _, _ := strings.Cut(address, "?")
	most := f.room()
	if size > most {
		return "", f.tooLarge(address, most)
	}
	out, err := os.CreateTemp(f.folder, "*"+path.Ext(whole))
	if err != nil {
		return "", fmt.Errorf("a copy of %s: %w", secret.Address(address), err)
	}
	defer func() {
		out.Close()
		if err != nil {
			os.Remove(out.Name())
		}
	}()
	for done := int64(0); ; {
		var n int64
		n, err = io.CopyN(out, in, 1<<20)
		if done += n; f.Progress != nil {
			f.Progress(address, done, size)
		}
		var disk *os.PathError
		switch {
		case errors.As(err, &disk):
			return "", fmt.Errorf("a copy of %s: %w", secret.Address(address), err)
		case done > most:
			err = f.tooLarge(address, most)
			return "", err
		case cause(ctx, nil) != nil:
			return "", bad(address, cause(ctx, nil))
		case ctx.Err() != nil:
			return "", ctx.Err()
		case err == io.EOF && size > 0 && done != size:
			return "", bad(address, fmt.Errorf("it ended after %d of %d bytes", done, size))
		case err == io.EOF:
			return out.Name(), out.Close()
		case err != nil:
			return "", bad(address, err)
		}
	}
}

// bad returns the error for an address that cannot be read.
func bad(address string, err error) *table.Error {
	e := table.Origin{File: address}.Bad("it cannot be read").Because(errors.New(strings.TrimPrefix(err.Error(), "store: ")))
	if strings.HasPrefix(address, "s3://") {
		return e.Suggest("region and credentials come from the environment (AWS_REGION, AWS_ACCESS_KEY_ID, ...) or the address: ?region=eu-central-1, ?endpoint=http://minio:9000")
	}
	return e
}

// isWeb reports whether an address is read by HTTP.
func isWeb(address string) bool {
	return strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://")
}

// open opens the object at an address, and returns its size in bytes, 0 if unknown.
func (f *Files) open(ctx context.Context, address string) (io.ReadCloser, int64, error) {
	if isWeb(address) {
		return f.openPage(ctx, address)
	}
	in, size, err := store.ReadFile(ctx, address)
	if errors.Is(err, store.ErrNotThere) {
		return nil, 0, table.Origin{File: address}.Bad("there is no such object")
	}
	if err != nil {
		return nil, 0, bad(address, err)
	}
	return in, size, nil
}

// openPage opens a response over HTTP.
func (f *Files) openPage(ctx context.Context, address string) (io.ReadCloser, int64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, 0, bad(address, err)
	}
	// User and password are sent in the header by package http. Compressed content stays
	// compressed: the file's own compression is handled later.
	request.Header.Set("Accept-Encoding", "identity")
	answer, err := f.client(request.URL).Do(request)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err // the address is already in the message
		}
		return nil, 0, bad(address, err)
	}
	if answer.StatusCode != http.StatusOK {
		answer.Body.Close()
		return nil, 0, table.Origin{File: address}.Bad("the server answers %s", answer.Status)
	}
	return answer.Body, max(answer.ContentLength, 0), nil
}

// Expand returns the addresses that match, in the order of their keys. With a * these are the
// matching objects, where * matches any characters but /; with a final / these are all data files
// below it. A web address expands to itself.
func (f *Files) Expand(ctx context.Context, address string) ([]string, error) {
	if isWeb(address) {
		return []string{address}, nil
	}
	key, err := store.Key(address)
	if err != nil {
		return nil, bad(address, err)
	}
	folder := key == "" || strings.HasSuffix(key, "/")
	prefix, _, pattern := strings.Cut(key, "*")
	if !folder && !pattern {
		return []string{address}, nil
	}
	all, err := store.Files(ctx, address, prefix)
	if err != nil {
		return nil, bad(address, err)
	}
	var out []string
	for _, one := range all {
		k, err := store.Key(one)
		if err != nil {
			return nil, bad(one, err)
		}
		if folder && wanted(strings.TrimPrefix(k, prefix)) || !folder && matches(key, k) {
			out = append(out, one)
		}
	}
	if folder {
		return out, input.CheckFolder(address, out)
	}
	if len(out) == 0 {
		return nil, table.Origin{File: address}.Bad("no object matches the pattern")
	}
	return out, nil
}

// wanted reports whether a key is a data file without hidden folders in its path.
func wanted(key string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(path.Dir(key)), "/") {
		if part != "." && input.Hidden(part) {
			return false
		}
	}
	return input.IsData(key)
}

// matches reports whether a key matches a pattern.
func matches(pattern, key string) bool {
	ok, err := path.Match(strings.NewReplacer("[", `\[`, "?", `\?`).Replace(pattern), key)
	return err == nil && ok
}
