package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"
)

// Other objects, such as files of events, are read by their addresses: the URL of their bucket,
// with the object's key as its path.

// ReadFile opens the object at an address such as s3://bucket/day/events.parquet, and returns its
// size in bytes. A missing one matches ErrNotThere.
func ReadFile(ctx context.Context, address string) (io.ReadCloser, int64, error) {
	bucket, key, err := bucketOf(ctx, address)
	if err != nil {
		return nil, 0, err
	}
	r, err := bucket.NewReader(ctx, key, nil)
	if err != nil {
		if gcerrors.Code(err) == gcerrors.NotFound {
			err = ErrNotThere
		}
		return nil, 0, errors.Join(fmt.Errorf("store: %w", err), bucket.Close())
	}
	return &file{r, bucket}, r.Size(), nil
}

// file is an open object with its bucket.
type file struct {
	*blob.Reader
	bucket *blob.Bucket
}

// Close ends the reading.
func (f *file) Close() error { return errors.Join(f.Reader.Close(), f.bucket.Close()) }

// Files lists the addresses of all objects in the bucket of an address whose keys begin with
// a prefix, in the order of their keys.
func Files(ctx context.Context, address, prefix string) ([]string, error) {
	bucket, _, err := bucketOf(ctx, address)
	if err != nil {
		return nil, err
	}
	defer bucket.Close()
	base, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	var out []string
	list := bucket.List(&blob.ListOptions{Prefix: prefix})
	for {
		o, err := list.Next(ctx)
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("store: listing %s://%s/%s: %w", base.Scheme, base.Host, prefix, err)
		}
		if !o.IsDir {
			one := *base
			one.Path, one.RawPath = "/"+o.Key, ""
			out = append(out, one.String())
		}
	}
}

// Key returns the key of the object at an address.
func Key(address string) (string, error) {
	u, err := parseURL(address)
	if err != nil {
		return "", err
	}
	return strings.TrimPrefix(u.Path, "/"), nil
}

// bucketOf opens the bucket of an address, and returns the object's key.
func bucketOf(ctx context.Context, address string) (bucket *blob.Bucket, key string, err error) {
	if key, err = Key(address); err != nil {
		return nil, "", err
	}
	root, err := url.Parse(address)
	if err != nil {
		return nil, "", err
	}
	root.Path, root.RawPath = "", ""
	bucket, _, err = OpenBucket(ctx, root.String())
	return bucket, key, err
}
