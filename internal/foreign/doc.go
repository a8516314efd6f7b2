// Package foreign lets tests run programs by others: pyarrow, pandas, polars, openpyxl, duckdb,
// fastavro and confluent-kafka, in the versions of testdata/foreign/requirements.txt.
//
// A test that needs them calls Run with a Python script. The libraries are installed on first use,
// into the user's cache. Such tests belong to the full tier; without Python or a package registry,
// see tier.Missing.
package foreign
