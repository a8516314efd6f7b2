// Command ep measures expectation propagation and writes docs/ep.md: how well the classes of placed
// events are predicted and calibrated with shares of the labels, in comparison with votes of
// neighbours and scikit-learn; the cost; and the hybrid of a classifier and a GP-LVM on oil flow
// and handwritten digits. All figures on the page are measured.
//
//	make ep UNFOLD_DATA=DIR
//
// With -supervision it measures maps that are learnt with labels, in comparison with umap-learn,
// and writes docs/decisions/supervision.md (make supervision).
package main
