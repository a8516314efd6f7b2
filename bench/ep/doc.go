// Command ep measures what expectation propagation brings and writes docs/ep.md: how well
// the classes of placed events are predicted and calibrated, with shares of the labels,
// beside votes of neighbours and scikit-learn; what that costs; and the hybrid of a classifier
// and a GP-LVM on oil flow and handwritten digits. Nothing on that page is typed by hand.
//
//	make ep UNFOLD_DATA=DIR
//
// With -supervision it measures labels that take part in learning a map, beside umap-learn, and
// writes docs/decisions/supervision.md (make supervision).
package main
