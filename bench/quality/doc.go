// Command quality measures the quality of the program's maps in comparison with other programs, and
// writes docs/quality.md. All figures on the page are measured.
//
//	make quality UNFOLD_DATA=DIR
//
// Every data set is prepared once: the data, from which maps are made and against which they are
// scored, their principal components for peers that are better with them, and what is known of the
// rows. All methods run one after the other with as many threads, and are scored by `unfold score`,
// the same code for all. The peers run in a Python environment of their own
// (requirements.txt, peers.py).
//
// Every map is made from three seeds. Ranks respect the standard errors over these and of the
// figures' own samples.
//
// -quick prints a table of figures of our own maps of samples, in about two minutes: those of the
// defaults, or by -fit and -try of other flags of unfold fit, beside what -quick has found of the
// peers before. -small is a run on toy data.
//
// Results are files in OUT/results, one a measurement, which name the run that they are of, the
// settings and the data. With -keep those of the same settings and data are used again, so a part
// can be measured again without the rest; the page then says that it is of several runs. Data sets
// whose files are missing are left out, and targets on what was not measured are listed as such.
//
// A time is on the page if other processes took at most a tenth of the processors while it was
// taken. On a busy machine -untimed saves the peers' rehearsals, -seeds 1 and -methods make a first
// page sooner, and -only times measures later what was timed meanwhile.
package main
