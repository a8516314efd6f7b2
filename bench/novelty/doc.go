// Command novelty measures how well the scores of new rows tell classes that a map was learnt with
// from classes that it never saw: the log-likelihood under the model beside the two novelty
// percentiles. It writes docs/novelty.md. No figure on that page is typed by hand.
//
//	make novelty UNFOLD_DATA=DIR
package main
