package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"unfold/models/snapshot"
)

// Object is a snapshot in a store.
type Object struct {
	// Key is its name, Version the map's.
	Key     string
	Version uint64
	// Bytes is the object's size. SHA256 is the hexadecimal checksum of its bytes; List leaves it
	// empty.
	Bytes  int64
	SHA256 string
}

// ErrNotThere is returned, wrapped, when the store has no object with the given key.
var ErrNotThere = errors.New("there is no such object")

// DamagedError is returned when an object's content differs from the expected size or checksum.
type DamagedError struct {
	Key string
	Err error
}

func (e *DamagedError) Error() string { return fmt.Sprintf("store: %s: %v", e.Key, e.Err) }

func (e *DamagedError) Unwrap() error { return e.Err }

// errChecksum is returned when the bytes read do not have the expected checksum.
var errChecksum = errors.New("the checksum does not fit: it is damaged, or another map was announced")

// Store reads and writes snapshots as objects of a bucket. It is safe for concurrent use.
type Store struct {
	bucket *blob.Bucket
	where  string
}

// New returns a store in the bucket, and the store closes the bucket with itself. The string where
// names the bucket in messages.
func New(bucket *blob.Bucket, where string) *Store { return &Store{bucket, where} }

// Open opens the store at a URL without connecting to it; call Check to test the connection.
func Open(ctx context.Context, url string) (*Store, error) {
	bucket, where, err := OpenBucket(ctx, url)
	if err != nil {
		return nil, err
	}
	return New(bucket, where), nil
}

// String returns the store's location without credentials, for messages.
func (s *Store) String() string { return s.where }

// Close closes all connections.
func (s *Store) Close() error { return s.bucket.Close() }

// names matches the allowed object names except for their length. The length, at most longestName
// letters, is checked separately, because a bound within the expression makes compilation two
// hundred times as slow, at every start of the program.
var names = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]*$`)

const longestName = 200

// CheckName returns an error if snapshots may not be stored under this name.
func CheckName(name string) error {
	if len(name) > longestName || !names.MatchString(name) {
		return fmt.Errorf("store: %q is no name for maps: want up to %d letters, digits, dots, lines and underscores", name, longestName)
	}
	return nil
}

const (
	suffix       = ".unfold"
	versionWidth = 20
	keySum       = 16
)

// key is the name of an object.
func key(name string, version uint64, sum string) string {
	return fmt.Sprintf("%s/%0*d-%s%s", name, versionWidth, version, sum[:keySum], suffix)
}

// parse parses an object's name.
func parse(key string) (version uint64, ok bool) {
	base, ok := strings.CutSuffix(key[strings.LastIndexByte(key, '/')+1:], suffix)
	if !ok || len(base) != versionWidth+1+keySum || base[versionWidth] != '-' {
		return 0, false
	}
	version, err := strconv.ParseUint(base[:versionWidth], 10, 64)
	return version, err == nil
}

// Put stores a snapshot under a name. It encodes the snapshot twice, the first time only for the
// checksum, so that no encoded copy has to be held in memory. An object that is already complete is
// not written again.
func (s *Store) Put(ctx context.Context, name string, snap *snapshot.Snapshot) (Object, error) {
	if err := CheckName(name); err != nil {
		return Object{}, err
	}
	sum := &tally{hash: sha256.New()}
	if err := snapshot.Write(sum, snap); err != nil {
		return Object{}, fmt.Errorf("store: %w", err)
	}
	o := Object{Version: snap.Version, Bytes: sum.bytes, SHA256: hex.EncodeToString(sum.hash.Sum(nil))}
	o.Key = key(name, o.Version, o.SHA256)
	if there, err := s.bucket.Attributes(ctx, o.Key); err == nil && there.Size == o.Bytes {
		return o, nil
	}
	return o, s.write(ctx, o.Key, func(w io.Writer) error { return snapshot.Write(w, snap) })
}

// write stores an object atomically.
func (s *Store) write(ctx context.Context, key string, content func(io.Writer) error) error {
	ctx, abandon := context.WithCancel(ctx)
	defer abandon()
	var file *os.File // in a folder
	w, err := s.bucket.NewWriter(ctx, key, &blob.WriterOptions{ContentType: "application/octet-stream", DisableContentTypeDetection: true,
		BeforeWrite: func(as func(any) bool) error {
			if as(&file) {
				return file.Chmod(0o600) // it holds events
			}
			return nil
		}})
	if err != nil {
		return fmt.Errorf("store: writing %s to %s: %w", key, s.where, err)
	}
	err = content(w)
	if err == nil && file != nil {
		err = file.Sync()
	}
	if err != nil {
		abandon() // before Close, which would otherwise store the incomplete object
		return fmt.Errorf("store: writing %s to %s: %w", key, s.where, errors.Join(err, ignore(w.Close(), context.Canceled)))
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("store: writing %s to %s: %w", key, s.where, err)
	}
	return nil
}

// ignore drops an error that is expected.
func ignore(err, expected error) error {
	if errors.Is(err, expected) || gcerrors.Code(err) == gcerrors.Canceled {
		return nil
	}
	return err
}

// Get reads the snapshot of the object o and verifies size and checksum. Its errors are a
// *DamagedError, one that matches ErrNotThere, or a failure that may be temporary.
func (s *Store) Get(ctx context.Context, o Object) (*snapshot.Snapshot, error) {
	r, err := s.bucket.NewReader(ctx, o.Key, nil)
	if err != nil {
		return nil, s.reading(o.Key, err)
	}
	defer r.Close()
	if r.Size() != o.Bytes {
		return nil, &DamagedError{o.Key, fmt.Errorf("it has %d bytes, want %d", r.Size(), o.Bytes)}
	}
	in := &source{r: io.LimitReader(r, o.Bytes), sum: tally{hash: sha256.New()}}
	snap, err := snapshot.Read(in)
	if err == nil || in.failed == nil {
		// The checksum also covers the bytes behind the snapshot. Reading them distinguishes a
		// damaged object from a complete object that is no snapshot.
		_, _ = io.Copy(io.Discard, in)
	}
	switch {
	case in.failed != nil:
		return nil, s.reading(o.Key, in.failed)
	case in.sum.bytes != o.Bytes:
		return nil, s.reading(o.Key, io.ErrUnexpectedEOF)
	case hex.EncodeToString(in.sum.hash.Sum(nil)) != o.SHA256:
		return nil, &DamagedError{o.Key, errChecksum}
	case err != nil:
		return nil, &DamagedError{o.Key, err}
	case snap.Version != o.Version:
		return nil, &DamagedError{o.Key, fmt.Errorf("it is version %d, want %d", snap.Version, o.Version)}
	}
	return snap, nil
}

func (s *Store) reading(key string, err error) error {
	if gcerrors.Code(err) == gcerrors.NotFound {
		return fmt.Errorf("store: %s in %s: %w", key, s.where, ErrNotThere)
	}
	return fmt.Errorf("store: reading %s from %s: %w", key, s.where, err)
}

// source is a reader that passes bytes on, counts them, and records whether the underlying read
// failed.
type source struct {
	r      io.Reader
	sum    tally
	failed error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.sum.add(p[:n])
	if err != nil && !errors.Is(err, io.EOF) {
		s.failed = err
	}
	return n, err
}

// tally counts bytes and sums them up.
type tally struct {
	hash  hash.Hash
	bytes int64
}

func (t *tally) add(p []byte) {
	t.hash.Write(p)
	t.bytes += int64(len(p))
}

// Write implements io.Writer.
func (t *tally) Write(p []byte) (int, error) {
	t.add(p)
	return len(p), nil
}

// Holds reports whether the object exists, and its size.
func (s *Store) Holds(ctx context.Context, o Object) (bool, error) {
	a, err := s.bucket.Attributes(ctx, o.Key)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return false, nil
	}
	if err != nil {
		return false, s.reading(o.Key, err)
	}
	return a.Size == o.Bytes, nil
}

// List returns the snapshots stored under a name, versions ascending. Other objects are skipped.
func (s *Store) List(ctx context.Context, name string) ([]Object, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	all, err := s.list(ctx, name)
	var out []Object
	for _, o := range all {
		if v, ok := parse(o.Key); ok && !o.IsDir {
			out = append(out, Object{Key: o.Key, Version: v, Bytes: o.Size})
		}
	}
	return out, err
}

// listings is the maximum number of attempts to list a folder: listing fails if a file is removed
// meanwhile.
const listings = 10

// list returns all objects under a name.
func (s *Store) list(ctx context.Context, name string) (out []*blob.ListObject, err error) {
	for range listings {
		out = out[:0]
		for it := s.bucket.List(&blob.ListOptions{Prefix: name + "/"}); ; {
			var o *blob.ListObject
			if o, err = it.Next(ctx); err != nil {
				break
			}
			out = append(out, o)
		}
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if gcerrors.Code(err) != gcerrors.NotFound {
			break
		}
	}
	return nil, fmt.Errorf("store: listing %s in %s: %w", name, s.where, err)
}

// Keep removes all but the newest keep versions, except for the object protect. It also removes
// partial files of processes that died while writing. It returns the number of removed objects.
func (s *Store) Keep(ctx context.Context, name string, keep int, protect string) (removed int, err error) {
	if err := CheckName(name); err != nil {
		return 0, err
	}
	all, err := s.list(ctx, name)
	if err != nil {
		return 0, err
	}
	var versions, gone []string
	for _, o := range all {
		if _, ok := parse(o.Key); ok && !o.IsDir {
			versions = append(versions, o.Key)
		} else if strings.HasSuffix(o.Key, temporary) && time.Since(o.ModTime) > abandoned {
			gone = append(gone, o.Key)
		}
	}
	gone = append(gone, versions[:max(0, len(versions)-keep)]...)
	for _, key := range gone {
		if key == protect {
			continue
		}
		if err := s.bucket.Delete(ctx, key); err != nil && gcerrors.Code(err) != gcerrors.NotFound {
			return removed, fmt.Errorf("store: removing %s from %s: %w", key, s.where, err)
		}
		removed++
	}
	return removed, nil
}

// A partial file has a name that ends in temporary. One of this age was left by a process that
// died.
const (
	temporary = ".tmp"
	abandoned = time.Hour
)

// Check tests access to the store and returns an error if it cannot be read or, with write,
// written. The write test writes an object, reads it and removes it.
func (s *Store) Check(ctx context.Context, name string, write bool) error {
	if _, err := s.List(ctx, name); err != nil {
		return err
	}
	if !write {
		return nil
	}
	probe := name + "/.check"
	text := []byte("whether this store can be written\n")
	if err := s.write(ctx, probe, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
		return err
	}
	got, err := s.bucket.ReadAll(ctx, probe)
	if err != nil {
		return s.reading(probe, err)
	}
	if !bytes.Equal(got, text) {
		return &DamagedError{probe, errors.New("it returns other bytes than were just written")}
	}
	if err := s.bucket.Delete(ctx, probe); err != nil {
		return fmt.Errorf("store: removing %s from %s: %w", probe, s.where, err)
	}
	return nil
}
