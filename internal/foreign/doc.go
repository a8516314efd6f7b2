// Package foreign lets tests ask programs that others wrote: pyarrow, pandas, polars,
// openpyxl, duckdb, fastavro and confluent-kafka, in the versions of
// testdata/foreign/requirements.txt.
//
// A test that needs them calls Run with a Python script. The libraries are installed
// the first time, into the user's cache. Such tests are in the tier of all tests; where there is no Python, or
// no registry to install from, see tier.Missing.
package foreign
