// Command ep measures what expectation propagation brings and writes docs/ep.md:
// the hybrid of a classifier and a GP-LVM against the share of labels, on oil flow
// and handwritten digits, and how well the classes of placed events are calibrated
// with and without their scales. Nothing on that page is typed by hand.
//
//	make ep UNFOLD_DATA=DIR
package main
