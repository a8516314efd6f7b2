// Command refresh measures how a map that follows a stream (package live) fares
// beside maps that are fitted anew, and writes docs/refresh.md. Nothing on that page
// is typed by hand.
//
//	go run ./bench/refresh -data DIR
//
// Every scenario is a stream of the digits of MNIST, 50 principal components each,
// by which a reference set changes; every event is placed on the map of the moment
// before it is learnt. At marks the map is judged beside lvm.Fit of the same points
// with the defaults of Fit.
//
//	stationary   a full set of which every refresh finds a hundredth replaced
//	growth       from a tenth of the set's size on; when full, a reservoir of 7/2 as many rows
//	appears      a class that is missing at first
//	leaves       a class that vanishes from a window
//
// Results are files in OUT, one a scenario; with -only the page is written from those
// and what earlier runs left. -small is a run of seconds on toy data, which says
// that the program works and nothing else.
package main
