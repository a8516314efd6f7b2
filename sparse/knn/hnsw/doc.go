// Package hnsw is an approximate nearest neighbour index whose rows come and
// go: a hierarchical navigable small world graph (Malkov and Yashunin 2018,
// IEEE TPAMI 42(4), "Efficient and robust approximate nearest neighbor search
// using hierarchical navigable small world graphs").
//
//	Build, New      an index over rows, or an empty one
//	BuildFrom       an index over rows whose neighbours are known
//	Index.Insert    adds rows
//	Index.Delete    removes rows and mends the graph
//	Index.Search    near rows of others, at exact distances
//	Index.Save      writes it as one file, Load reads it
//
// # The graph
//
// Every row is in the bottom layer, a share 1/M of those in a layer also in
// the one above. In each layer a row is linked to rows near it in different
// directions. A search follows links from the top towards the query, layer by
// layer, and in the bottom layer keeps the ef nearest rows it meets until it
// has followed the links of all of them. It compares the query with some
// hundred rows by float32 distances (package dist), and measures again, in
// float64, those that are near enough to be reported.
//
// Three things differ from the paper.
//
// A tree. In the paper a row can lose all links that lead to it, and with them
// its place in every answer. Here the rows of a layer also form a tree whose
// edges are links in both directions that are never taken back. So every row
// is reachable from every other, and a search with as many candidates as there
// are rows is exact.
//
// Twins. Equal rows are one row of the graph with a chain of twins. A thousand
// equal rows would otherwise be linked to each other alone. Found are those
// that are equal to a row that the insertion's own search finds, or to another
// one of the same batch.
//
// Batches. Rows are inserted up to 1024 at a time, at most 1/64 of those there
// are: each looks for its links in the graph as it was before the batch, side
// by side on all threads; then the links are entered target by target. So the
// graph is a function of the settings and of the order of calls and rows, not
// of the number of threads. Rows of one batch are not linked to each other at
// once, which costs little recall against one row at a time
// (TestBatchesCostLittleRecall).
//
// # From lists
//
// Where the near rows of every row are known already, as in a fit, BuildFrom need not search
// for them. Rows of the upper layers are inserted there; the bottom layer's tree follows the
// lists, breadth first; and each row chooses its links among the members of its list and of the
// lists that these lead to. With the rule of choice as it is, links would be too few: a row that
// is inserted early has links to rows that were near when there were few, and these lead far.
// So a candidate gives way only to a link that is nearer to it by a factor (the alpha of
// DiskANN, Subramanya et al. 2019). With lists of ten, and as many candidates in a search, that
// finds .9891 of 15 neighbours where Build finds .9902 (68,000 digits x 50, 37 candidates), .969 for
// .972 (200,000 collisions x 28) and .977 for .964 (198,000 points of sheets), in .3 of
// the time.
//
// # Deletion
//
// A deleted row leaves nothing behind: its number, its place and its tower
// are used again. A row that was linked to it is given as many other links
// instead, chosen among what the deleted row, and deleted rows it led to, were
// linked to; in the trees, one of its children takes its place. Since links
// are stored in one direction, finding who was linked to it takes a pass over
// all links: delete many at a time. An index of which half was deleted, a few
// rows at a time, finds nearly as much as one built from nothing
// (TestRecallAfterDeletes). Choosing all links again whenever one was lost was
// tried and is worse: it thins the graph out.
//
// # Contract
//
// Values must be finite. Differences of values beyond 1e19 overflow in float32
// and those below 1e-19 vanish, so that a search cannot distinguish such rows
// and finds fewer of the true neighbours; what it reports is exact all the
// same. Lists are ordered by (exact squared distance, row number). A list is a
// function of the index and the query: not of the batch, nor of the number of
// threads, nor, since dist gives the same bits everywhere, of the machine.
// Searches run side by side; they take scratch memory from the index, a few
// bytes a row for each search at the same time, and allocate only their result.
package hnsw
