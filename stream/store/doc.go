// Package store keeps snapshots of maps where all processes of a stage can read them: in a shared
// folder, or in an object store.
//
// A Store is identified by a URL:
//
//	file:///srv/unfold/maps                          a folder that exists; ?create=true creates it
//	s3://bucket/prefix?region=eu-central-1           Amazon S3
//	s3://bucket/prefix?endpoint=http://minio:9000    anything that speaks S3's protocol
//	gs://bucket/prefix                               Google Cloud Storage, if built with -tags gcs
//	azblob://container/prefix                        Azure Blob Storage, if built with -tags azure
//
// URLs contain no secrets. Credentials come from the object stores' usual places: for S3
// AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, files named by AWS_SHARED_CREDENTIALS_FILE, or the
// machine's role.
//
// # Objects
//
// A snapshot is one object, the file of package snapshot:
//
//	NAME/VERSION-CHECKSUM.unfold    unfold/00000000000000000042-9f86d081884c7d65.unfold
//
// with twenty digits of the version, so that names sort as versions do, and the first sixteen
// hexadecimal digits of the SHA-256 of its bytes. So an object never changes: other content has
// another name. An object exists completely or not at all.
//
// # Contract
//
// Put is atomic: objects appear under their name when they are complete. Get compares size and
// SHA-256 with the expected ones and then reads the snapshot, which has its own checksums. An
// object with other content is a *DamagedError; a missing one matches ErrNotThere. All other errors
// may be temporary, and the caller decides how long to retry. Keep removes old versions, except the
// one that its argument protects.
//
// Package storetest is the conformance suite; every kind of store passes it.
package store
