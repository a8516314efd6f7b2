// Command python measures the Python package beside umap-learn, and by Spark beside the
// command line, and writes docs/python-times.md.
//
// Every fit begins in a process of its own, so that what is compiled or imported first is
// among what it takes (cold); the same again in that process is warm. Spark places rows
// that the command line places, too, from the same files into the same format; what a
// billion rows take follows from its rate.
//
// It needs the environment that make python makes, with the wheel of the program.
// Nothing on the page is typed by hand.
package main
