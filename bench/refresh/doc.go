// Command refresh compares a map that is updated with a stream (package live) with maps that are
// fitted again, and writes docs/refresh.md. All figures on the page are measured.
//
//	make refresh ARGS="-data DIR"
//
// Every scenario is a stream of the digits of MNIST, 50 principal components each, by which a
// reference set changes; every event is placed on the map of the moment before it is learnt. At
// marks the map is judged beside lvm.Fit of the same points with the defaults of Fit.
//
//	stationary   a full set of which every refresh finds a hundredth replaced
//	growth       from a tenth of the set's size on; when full, a reservoir of 7/2 as many rows
//	appears      a class that is missing at first
//	leaves       a class that vanishes from a window
//
// Three more are about what a stream is served with:
//
//	kdd          connections in the order of their file: each is placed before it is
//	             learnt, and its label voted on the map; beside the first map for ever,
//	             umap-learn fitted again now and then, and incremental PCA. How well
//	             novelty finds attacks of types not yet seen
//	serving      how long single events take to be placed during a refresh and without
//	restart      how long a learner takes from its state folder to the first answer
//
// One is of whole stages, run by the program (-unfold) through a broker:
//
//	young        stages from their first maps on beside fits of the same points
//	             (package stream/streamtest/conformance), with pictures
//
// The peers run in a Python environment of their own, OUT/venv or -venv; one that is not there is
// named as missing.
//
// With -clusters it finds clusters on the maps of the first streams instead, measures how they keep
// their ids, and writes docs/clusters.md; every class appears and leaves in turn.
//
// With -young it prints the tables of docs/decisions/refresh.md about young points and maps.
//
// Results are files in OUT, one a scenario; with -only the page is written from those and what
// earlier runs left. -small is a run of seconds on toy data, which says that the program works and
// nothing else.
package main
