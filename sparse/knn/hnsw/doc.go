// Package hnsw is an approximate nearest neighbour index with insertion and deletion: a
// hierarchical navigable small world graph (Malkov and Yashunin 2018, IEEE TPAMI 42(4), "Efficient
// and robust approximate nearest neighbor search using hierarchical navigable small world graphs").
//
//	Build, New      an index over rows, or an empty one
//	BuildFrom       an index over rows whose neighbours are known
//	Index.Insert    adds rows
//	Index.Delete    removes rows and mends the graph
//	Index.Search    near rows of others, at exact distances
//	Index.SaveLinks writes it without its rows, LoadLinks reads it
//
// # The graph
//
// Every row is in the bottom layer, and a share 1/M of the rows in a layer is also in the one
// above. In each layer a row has links to near rows in different directions. A search follows links
// from the top towards the query, layer by layer. In the bottom layer it keeps the ef nearest rows
// so far, until it has followed the links of all of them. It compares the query with some hundred
// rows by float32 distances (package dist), and computes those of the nearest again in float64.
//
// Three things differ from the paper.
//
// Tree. In the paper a row can lose all links that lead to it, and then never occurs in a result.
// Here the rows of a layer also form a tree, whose edges are permanent links in both directions. So
// every row is reachable from every other, and a search with as many candidates as rows is exact.
//
// Twins. Equal rows are one row of the graph with a chain of twins. Otherwise a thousand equal rows
// would only have links to each other. A twin is recognised if the insertion's own search finds the
// equal row, or if it is in the same batch.
//
// Batches. Rows are inserted up to 1024 at a time, at most 1/64 of the existing rows. Each searches
// for its links in the graph as it was before the batch, in parallel; the links are then added
// target by target. So the graph is a function of the settings and of the order of calls and rows,
// not of the number of threads. Rows of one batch are not linked to each other immediately, which
// costs little recall compared with one row at a time (TestBatchesCostLittleRecall).
//
// # From lists
//
// BuildFrom needs no search if the near rows of every row are known, as in a fit. It inserts the
// rows of the upper layers as usual. The bottom layer's tree follows the lists, breadth first. Each
// row chooses its links among the members of its list and of their lists. The plain rule would
// choose too few links, because rows inserted early normally keep long links from when there were
// few rows. So a candidate is only dropped for a link that is nearer to it by a factor (the alpha
// of DiskANN, Subramanya et al. 2019). With lists of ten, and as many candidates in a search, this
// finds .9891 of 15 neighbours where Build finds .9902 (68,000 digits x 50, 37 candidates), .969
// for .972 (200,000 collisions x 28) and .977 for .964 (198,000 points of sheets), in .3 of the
// time.
//
// # Deletion
//
// A deleted row leaves no trace: its number, place and tower are reused. A row with a link to it
// gets as many other links, chosen among the neighbours of the deleted row and of further deleted
// rows. In the trees, one of its children takes its place. Since links are stored in one direction,
// finding the rows that link to it takes a pass over all links, so rows should be deleted many at a
// time. An index with half of its rows deleted, a few at a time, has nearly the recall of a new one
// (TestRecallAfterDeletes). Choosing all links again whenever one was lost was tried and is worse:
// it thins out the graph.
//
// # Contract
//
// Values must be finite. Differences beyond 1e19 overflow in float32 and those below 1e-19
// underflow, so that a search cannot distinguish such rows and finds fewer of the true neighbours;
// the distances it reports are exact all the same. Lists are ordered by (exact squared distance,
// row number). A list depends only on the index and the query, not on the batch, the number of
// threads or the machine, because dist gives the same bits everywhere. Searches may be concurrent.
// They use scratch memory of the index, a few bytes per row for each concurrent search, and
// allocate only their result.
package hnsw
