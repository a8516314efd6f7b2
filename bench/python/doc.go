// Command python measures the Python package in comparison with umap-learn, and Spark in comparison
// with the command line, and writes docs/python-times.md.
//
// Every fit starts in its own process, so that compilation and imports are included (cold). A
// second fit in the same process is warm. Spark and the command line place the same rows, from the
// same files to the same format. The time of a billion rows is extrapolated from the rate.
//
// It needs the environment of make python, with the program's wheel. All figures on the page are
// measured.
package main
