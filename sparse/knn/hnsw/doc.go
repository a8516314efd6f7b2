// Package hnsw is an approximate nearest neighbour index whose rows come and
// go: a hierarchical navigable small world graph (Malkov and Yashunin 2018,
// IEEE TPAMI 42(4), "Efficient and robust approximate nearest neighbor search
// using hierarchical navigable small world graphs").
//
//	Build, New      an index over rows, or an empty one
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
