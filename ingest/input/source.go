package input

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/bzip2"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"unfold/ingest/table"
	"unfold/internal/disk"
)

// Source is a source for format readers: decompressed bytes in order.
type Source struct {
	*bufio.Reader
	Origin table.Origin
	File   *os.File // the file; nil for standard input and members of archives
	Packed string   // name of the compression, "" for none
	// Memory bounds copies on a file system in memory, in bytes; 0 for no bound.
	Memory int64
	ctx    context.Context
	stays  bool // standard input must not be copied
	close  []func() error
}

// Close closes everything that was opened, the last first.
func (in *Source) Close() error {
	var errs []error
	for _, c := range slices.Backward(in.close) {
		errs = append(errs, c())
	}
	in.close = nil
	return errors.Join(errs...)
}

// Open opens a path, or standard input for "-", and decompresses it. A named pipe is opened and
// read until the context is done, so the context has to last as long as the source.
func Open(ctx context.Context, path string, stdin io.Reader, noCopies bool) (*Source, error) {
	in := &Source{Origin: table.Origin{File: path}, ctx: ctx, stays: noCopies}
	from := stdin
	if path != "-" {
		f, err := openFile(ctx, path)
		if err != nil {
			return nil, err
		}
		read, release := bind(ctx, f)
		in.File, from = f, read
		in.close = append(in.close, f.Close, release)
	}
	return in.begin(from)
}

// OpenCopy opens a local copy of the contents of an address, under the name of the address.
func OpenCopy(ctx context.Context, address, file string) (*Source, error) {
	in := &Source{Origin: table.Origin{File: address}, ctx: ctx}
	f, err := openFile(ctx, file)
	if err != nil {
		var bad *table.Error
		if errors.As(err, &bad) {
			bad.Origin.File = address
		}
		return nil, err
	}
	in.File = f
	in.close = append(in.close, f.Close)
	return in.begin(f)
}

// begin detects a compression and starts to read.
func (in *Source) begin(from io.Reader) (*Source, error) {
	if err := in.decompress(from); err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

// packing is a supported compression with the extension of its files and their first bytes.
type packing struct {
	name, ext, magic string
	open             func(io.Reader) (io.Reader, func() error, error)
}

var packings = []packing{
	{"gzip", ".gz", "\x1f\x8b", func(r io.Reader) (io.Reader, func() error, error) {
		z, err := gzip.NewReader(r)
		return z, nil, err
	}},
	{"zstd", ".zst", "\x28\xb5\x2f\xfd", func(r io.Reader) (io.Reader, func() error, error) {
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindow))
		if err != nil {
			return nil, nil, err
		}
		return z, func() error { z.Close(); return nil }, nil
	}},
	{"bzip2", ".bz2", "BZh", func(r io.Reader) (io.Reader, func() error, error) { return bzip2.NewReader(r), nil, nil }},
	{"xz", ".xz", "\xfd7zXZ\x00", func(r io.Reader) (io.Reader, func() error, error) {
		z, err := Unxz(r)
		return z, nil, err
	}},
	{"lz4", ".lz4", "\x04\x22\x4d\x18", func(r io.Reader) (io.Reader, func() error, error) { return lz4.NewReader(r), nil, nil }},
}

// Packings returns the extensions of compressed files.
func Packings() (exts []string) {
	for _, p := range packings {
		exts = append(exts, p.ext)
	}
	return exts
}

// Unpacked returns a name in lower case, without the extensions of compressions.
func Unpacked(name string) string {
	name = strings.ToLower(name)
	for _, p := range packings {
		name = strings.TrimSuffix(name, p.ext)
	}
	return name
}

// packingOf returns the compression of data with the given beginning.
func packingOf(head []byte) (p packing, packed bool) {
	for _, p := range packings {
		if bytes.HasPrefix(head, []byte(p.magic)) && (p.name != "bzip2" || len(head) >= 10 && string(head[4:10]) == "1AY&SY") {
			return p, true
		}
	}
	return p, false
}

// zstdWindow is the maximum window of a zstd file, which its decoder keeps in memory. It is the
// default limit of zstd.
const zstdWindow = 128 << 20

// decompress starts to read and decompresses if necessary.
func (in *Source) decompress(from io.Reader) error {
	in.Reader = bufio.NewReaderSize(from, 1<<16)
	head, err := in.Peek(10)
	if len(head) == 0 {
		if err != io.EOF {
			return ReadError(in.Origin, err)
		}
		return in.Origin.Bad("the file is empty")
	}
	p, packed := packingOf(head)
	if !packed {
		return nil
	}
	z, done, err := p.open(in.Reader)
	if err != nil {
		return in.Origin.Bad("the %s header is corrupt", p.name).Because(err)
	}
	if done != nil {
		in.close = append(in.close, done)
	}
	if p.name != "gzip" {
		z = &decompressing{z, p.name}
	}
	in.Reader, in.Packed = bufio.NewReaderSize(cancellable{in.ctx, z}, 1<<16), p.name
	if _, err := in.Peek(1); err == io.EOF {
		return in.Origin.Bad("the file is empty inside its %s compression", p.name)
	} else if err != nil {
		return ReadError(in.Origin, err)
	}
	return nil
}

// cancellable ends with a context, nil for none. A small file may be decompressed for hours.
type cancellable struct {
	ctx context.Context
	io.Reader
}

func (c cancellable) Read(p []byte) (int, error) {
	if c.ctx != nil && c.ctx.Err() != nil {
		return 0, c.ctx.Err()
	}
	return c.Reader.Read(p)
}

// decompressing adds the name of the compression to errors.
type decompressing struct {
	r    io.Reader
	name string
}

type decompressError struct {
	name string
	error
}

func (u *decompressError) Unwrap() error { return u.error }

func (u *decompressing) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	if err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
		err = &decompressError{u.name, err}
	}
	return n, err
}

// firstLook is the beginning of a text, up to a limit, which is read again later.
type firstLook struct {
	*bufio.Reader
	cut   *cutReader // nil: it is the whole text
	Close func()
}

// IsCut reports whether the text continues after the part that was read.
func (l *firstLook) IsCut() bool { return l.cut != nil && l.cut.left <= 0 }

// Again returns up to limit bytes of the text for a first look. A file is opened a second time. The
// beginning of a pipe is buffered: a MiB, or more until it is enough.
func (in *Source) Again(limit int64, enough func(head []byte) bool) (*firstLook, error) {
	if in.regular() {
		second, err := Open(cmp.Or(in.ctx, context.Background()), in.File.Name(), nil, false)
		if err != nil {
			return nil, err
		}
		cut := &cutReader{r: second, left: limit}
		return &firstLook{bufio.NewReaderSize(cut, 1<<16), cut, func() { second.Close() }}, nil
	}
	var head []byte
	var err error
	most := 1 << 20
	for ; ; most *= 2 {
		in.Reader = bufio.NewReaderSize(in.Reader, most)
		head, err = in.Peek(most)
		if len(head) == 0 && err != nil && err != io.EOF {
			return nil, ReadError(in.Origin, err)
		}
		if err != nil || int64(most) >= limit || enough(head) {
			break
		}
	}
	beginning := strings.NewReader(string(head))
	if err == nil || int64(len(head)) > limit {
		cut := &cutReader{r: beginning, left: min(limit, int64(most)-1)}
		return &firstLook{bufio.NewReaderSize(cut, 1<<16), cut, func() {}}, nil
	}
	return &firstLook{bufio.NewReaderSize(beginning, 1<<16), nil, func() {}}, nil
}

// Enter continues with a member of an archive and decompresses it.
func (in *Source) Enter(part io.ReadCloser, packed string) {
	in.close = append(in.close, part.Close)
	in.Reset(cancellable{in.ctx, &decompressing{part, packed}})
	in.File, in.Packed = nil, packed
}

// Through continues with r, which transforms the source's bytes and can only be read in order.
func (in *Source) Through(r io.Reader) {
	in.Reader, in.File = bufio.NewReaderSize(r, 1<<16), nil
}

// Size returns the number of bytes of an uncompressed file; false if it is unknown.
func (in *Source) Size() (int64, bool) {
	if in.Packed != "" || !in.regular() {
		return 0, false
	}
	info, err := in.File.Stat()
	return info.Size(), err == nil
}

// ReadOnce reports whether a source can be read only once: "-" for standard input, a named pipe, a
// device.
func ReadOnce(path string) bool {
	if path == "-" || IsAddress(path) {
		return path == "-"
	}
	file, _, _ := ArchiveMember(path)
	info, err := os.Stat(file)
	return err == nil && !info.Mode().IsRegular()
}

func (in *Source) regular() bool {
	if in.File == nil {
		return false
	}
	info, err := in.File.Stat()
	return err == nil && info.Mode().IsRegular()
}

// Seekable returns the decompressed bytes as a file, for formats that need random access. If the
// source is not such a file, it is a copy on disk of at most most bytes. The copy may take nine
// tenths of the free disk, because a few kilobytes can expand to any size.
func (in *Source) Seekable(most int64) (*os.File, int64, error) {
	if in.Packed == "" && in.regular() {
		info, err := in.File.Stat()
		if err != nil {
			return nil, 0, ReadError(in.Origin, err)
		}
		return in.File, info.Size(), nil
	}
	if in.stays && in.Origin.File == "-" {
		return nil, 0, in.Origin.Bad("a file that is not read from its beginning to its end cannot be checked on standard input").
			Suggest("name a file, or pipe an Arrow stream")
	}
	f, err := os.CreateTemp("", "unfold-*")
	if err != nil {
		return nil, 0, fmt.Errorf("%v: a copy to read it from: %w", in.Origin, err)
	}
	// If the system allows it, the copy is unlinked at once, so that it disappears with the
	// process, however that ends.
	nameless := os.Remove(f.Name()) == nil
	in.close = append(in.close, func() error {
		if err := f.Close(); err != nil || nameless {
			return err
		}
		return os.Remove(f.Name())
	})
	room := in.room(filepath.Dir(f.Name()))
	n, err := io.Copy(f, io.LimitReader(cancellable{in.ctx, in.Reader}, min(most, room)))
	if err == nil && n == room && n < most {
		return nil, 0, in.Origin.Bad("unpacked it has %d MB or more", n/1e6).
			Suggest("a copy of it has no room in %s: name another folder in TMPDIR, or write it as Arrow stream, Parquet or .npy", filepath.Dir(f.Name()))
	}
	if err != nil {
		var full *fs.PathError
		if errors.As(err, &full) && full.Path == f.Name() {
			return nil, 0, fmt.Errorf("%v: a copy to read it from: %w", in.Origin, err)
		}
		return nil, 0, ReadError(in.Origin, err)
	}
	return f, n, nil
}

// room returns the maximum size of a copy in a folder, in bytes.
func (in *Source) room(folder string) int64 {
	free, memory := disk.Free(folder)
	switch {
	case free < 0:
		return math.MaxInt64
	case memory && in.Memory > 0:
		return min(free/10*9, in.Memory)
	}
	return free / 10 * 9
}

var address = regexp.MustCompile(`^([a-z][a-z0-9+.-]+)://`)

// IsAddress reports whether a path is the address of a remote object.
func IsAddress(path string) bool { return address.MatchString(path) }

// addressError returns the error with advice for an address in place of a file.
func addressError(path string) *table.Error {
	scheme := address.FindStringSubmatch(path)[1]
	fetch := map[string]string{
		"http": "curl -sSfL '%s'", "https": "curl -sSfL '%s'", "s3": "aws s3 cp '%s' -",
		"gs": "gcloud storage cat '%s'", "hdfs": "hdfs dfs -cat '%s'",
	}[scheme]
	e := table.Origin{File: path}.Bad("this is the address of a remote object (%s), not a file", scheme)
	if scheme == "file" {
		return e.Suggest("name the file by its path: %s", strings.TrimPrefix(path, "file://"))
	}
	if fetch == "" {
		return e.Suggest("fetch it first, or pipe it to standard input, which is named -")
	}
	return e.Suggest("fetch it, or pipe it to standard input: "+fetch+" | unfold ... -", path)
}

// openFile opens a file, which must exist, not be a directory and not be empty.
func openFile(ctx context.Context, path string) (*os.File, error) {
	origin := table.Origin{File: path}
	if IsAddress(path) {
		return nil, addressError(path)
	}
	f, err := openPath(ctx, path)
	if file, _, in := ArchiveMember(path); errors.Is(err, fs.ErrNotExist) && in {
		f, err = os.Open(file)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e := origin.Bad("the file does not exist")
		if near := nearestFile(path); near != "" {
			e.Suggest("did you mean %q?", near)
		}
		e.Missing = true
		return nil, e
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return nil, err
	case err != nil:
		return nil, origin.Bad("the file cannot be opened").Because(err)
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		f.Close()
		return nil, origin.Bad("it is a directory").Suggest("name files, or a pattern such as %q", filepath.Join(path, "*.parquet"))
	}
	if err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		f.Close()
		return nil, origin.Bad("the file is empty")
	}
	return f, nil
}

func nearestFile(path string) string {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if near := table.Nearest(filepath.Base(path), names); near != "" {
		return filepath.Join(filepath.Dir(path), near)
	}
	return ""
}

// ArchiveMember splits "file.npz:name" and "file.safetensors:name".
func ArchiveMember(p string) (file, member string, ok bool) {
	for _, ending := range []string{".npz", ".safetensors"} {
		if i := strings.LastIndex(strings.ToLower(p), ending+":"); i >= 0 {
			i += len(ending)
			return p[:i], p[i+1:], true
		}
	}
	return p, "", false
}

// cutReader ends after a number of bytes, at the last complete line.
type cutReader struct {
	r    io.Reader
	left int64
}

func (c *cutReader) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, io.EOF
	}
	if int64(len(p)) > c.left {
		p = p[:c.left]
	}
	n, err := c.r.Read(p)
	if c.left -= int64(n); c.left <= 0 {
		if end := strings.LastIndexByte(string(p[:n]), '\n'); end >= 0 {
			n = end + 1
		}
	}
	return n, err
}
