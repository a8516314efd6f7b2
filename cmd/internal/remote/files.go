package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"unfold/ingest/input"
	"unfold/ingest/table"
	"unfold/stream/store"
)

// Files are copies of what lies elsewhere. The zero value works. It is used by one goroutine.
type Files struct {
	// Progress, if not nil, is called while an object is fetched: with its address, the
	// bytes that are there and all of them, 0 if that is not known.
	Progress func(address string, done, total int64)

	folder string
	copies map[string]string
}

// Close removes the copies.
func (f *Files) Close() error {
	if f.folder == "" {
		return nil
	}
	folder := f.folder
	f.folder, f.copies = "", nil
	return os.RemoveAll(folder)
}

// Local returns the file that holds a copy of what is at an address. Its errors are
// *table.Error about the address, but for those of the disk.
func (f *Files) Local(ctx context.Context, address string) (string, error) {
	if local, done := f.copies[address]; done {
		return local, nil
	}
	if f.folder == "" {
		folder, err := os.MkdirTemp("", "unfold-inputs-*")
		if err != nil {
			return "", fmt.Errorf("a folder for copies of inputs: %w", err)
		}
		f.folder, f.copies = folder, map[string]string{}
	}
	in, size, err := open(ctx, address)
	if err != nil {
		return "", err
	}
	defer in.Close()
	local, err := f.save(ctx, address, in, size)
	if err != nil {
		return "", err
	}
	f.copies[address] = local
	return local, nil
}

// save copies what is read to a file.
func (f *Files) save(ctx context.Context, address string, in io.Reader, size int64) (string, error) {
	// The ending says what may be named in it: an array of an .npz.
	whole, _, _ := strings.Cut(address, "?")
	out, err := os.CreateTemp(f.folder, "*"+path.Ext(whole))
	if err != nil {
		return "", fmt.Errorf("a copy of %s: %w", address, err)
	}
	defer out.Close()
	for done := int64(0); ; {
		n, err := io.CopyN(out, in, 1<<20)
		if done += n; f.Progress != nil {
			f.Progress(address, done, size)
		}
		var disk *os.PathError
		switch {
		case errors.As(err, &disk):
			return "", fmt.Errorf("a copy of %s: %w", address, err)
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

// bad is the error for an address that cannot be read.
func bad(address string, err error) *table.Error {
	e := table.Origin{File: address}.Bad("it cannot be read").Because(errors.New(strings.TrimPrefix(err.Error(), "store: ")))
	if strings.HasPrefix(address, "s3://") {
		return e.Suggest("region and credentials come from the environment (AWS_REGION, AWS_ACCESS_KEY_ID, ...) or the address: ?region=eu-central-1, ?endpoint=http://minio:9000")
	}
	return e
}

// isWeb reports an address that is fetched by HTTP.
func isWeb(address string) bool {
	return strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://")
}

// open begins to read what is at an address, of so many bytes, or 0 if that is not known.
func open(ctx context.Context, address string) (io.ReadCloser, int64, error) {
	if isWeb(address) {
		return openPage(ctx, address)
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

// openPage begins to read an answer over HTTP.
func openPage(ctx context.Context, address string) (io.ReadCloser, int64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, 0, bad(address, err)
	}
	// What is packed stays so: the file's own compression is looked through later.
	request.Header.Set("Accept-Encoding", "identity")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err // which does not say the address once more
		}
		return nil, 0, bad(address, err)
	}
	if answer.StatusCode != http.StatusOK {
		answer.Body.Close()
		return nil, 0, table.Origin{File: address}.Bad("the server answers %s", answer.Status)
	}
	return answer.Body, max(answer.ContentLength, 0), nil
}

// Expand returns the addresses that one stands for, in the order of their keys: with a *
// those of the objects that match, where * is any run of characters but /; with a / at its
// end all data files below it. An address of the web stands for itself.
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

// wanted reports a data file in a folder, none of whose own folders is hidden.
func wanted(key string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(path.Dir(key)), "/") {
		if part != "." && input.Hidden(part) {
			return false
		}
	}
	return input.IsData(key)
}

// matches reports a key that a pattern stands for.
func matches(pattern, key string) bool {
	ok, err := path.Match(strings.NewReplacer("[", `\[`, "?", `\?`).Replace(pattern), key)
	return err == nil && ok
}
