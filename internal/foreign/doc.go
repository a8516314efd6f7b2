// Package foreign lets tests ask programs that others wrote: pyarrow, pandas, polars,
// openpyxl, duckdb, fastavro and confluent-kafka, in the versions of
// testdata/foreign/requirements.txt.
//
// A test that needs them calls Run with a Python script. The libraries are installed
// the first time, into the user's cache. Where there is no Python, or no registry to
// install from, such a test is skipped with a line that says so; with
// UNFOLD_REQUIRE_PYTHON=1 it fails instead.
package foreign
