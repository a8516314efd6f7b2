// Package conformance compares the map of a stage with that of a fit of the same events.
//
// A Course is a test of one stage: events arrive in parts through a broker, the stage is restarted,
// and half of the events are deleted. At the marks of the course every point of the stage's newest
// map is compared with the same event on the map of fit.Fit with default settings. Both maps are
// judged against the original vectors.
//
// Sets are generated from given groups, or read from files of testdata and of the larger data sets.
//
// The stage has the settings of README's example. Only the time between refreshes is shorter, and a
// course may set the size of the first map and of the reference set.
package conformance
