// Package view keeps what a page of a live map shows, and hands it to any number of readers.
//
// A Hub holds points in slots: a place, an id, when the point came, and its columns. At
// most Settings.Size of them are kept; a new point takes the slot of the oldest. A point
// that comes again under its id keeps its slot, so that a reader sees it move.
//
//	Put     points come, or come again under their ids
//	Remove  points leave
//	Refresh the map changes: all points get new places, at once for every reader
//	Renew   columns that follow from the map change, such as clusters
//	SetClusters  names of clusters, and what became of them
//	Tick    what has changed since the last tick becomes one delta for all readers
//	Join    a reader, which gets the whole and then every delta
//
// Below them lie the points that the map was learnt from, the base, which only Refresh changes.
//
// # Maps
//
// Every place is on a map (Rows.Map), and all places that are shown are on one map. Refresh moves the
// points that are there. A place may come later that is on a map before: the hub keeps the last moves,
// and leads it through those since its own map, each once. So where a point is shown depends on its
// place and its map alone, and not on when it came.
//
// # Readers
//
// Deltas are encoded once, whoever reads them, and not at all while nobody does. The last
// ones are kept in a log of bounded size. A reader that falls behind the log begins again with
// the whole: it costs the hub no memory to have slow readers.
//
// The whole is handed over in parts, each as it is at that moment. Deltas that fell between
// come after it and state slots as they were at their tick, so that a reader is where the
// hub is after the last of them.
//
// # Columns
//
// A column is one of four kinds: numbers, times, categories, text. A column of text or of
// few whole numbers is one of categories until it has too many values; then it becomes what
// else it can be, and readers begin again.
//
// # Messages
//
// Messages are text (JSON) or binary: eight bytes, of which the first is the Change, then an
// Arrow IPC stream. docs/formats.md, "The page's messages", describes both.
package view
