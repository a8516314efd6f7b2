// Package view keeps the points that a live map's page shows, and sends them and their changes to
// any number of readers.
//
// A Hub keeps points in slots: a place, an id, the time of arrival, and column values. It keeps at
// most Settings.Size points; then a new point replaces the oldest one. When an id arrives again its
// point keeps the slot, so that a reader sees the point move.
//
//	Put     points come, or come again under their ids
//	Remove  points leave
//	Refresh the map changes: all points get new places, at once for every reader
//	Renew   columns that follow from the map change, such as clusters
//	SetClusters  names of clusters, and what became of them
//	Tick    what has changed since the last tick becomes one delta for all readers
//	Join    a reader, which gets the whole and then every delta
//
// The base, drawn below all other points, consists of the points that the map was learnt from. Only
// Refresh changes it.
//
// # Maps
//
// Every place belongs to a map (Rows.Map), and all places that are shown belong to one map. Refresh
// moves the existing points to a new map. A place of an older map may still arrive afterwards. The
// hub keeps the last changes of the map and applies those since the place's map, each once. So the
// position of a point depends only on its place and map, and not on the time of its arrival.
//
// # Readers
//
// Changes are encoded once for all readers, and not at all while there are none. The last ones are
// kept in a log of bounded size. A reader that falls behind the log starts again with the full
// state, so slow readers need no memory of the hub.
//
// The full state is sent in parts, each with the state at the time it was made. Changes made in
// between follow after the last part and give the state of their slots at that tick. So after the
// last of them the reader has the hub's state.
//
// # Columns
//
// A column is of one of four kinds: numbers, times, categories, text. Text and whole numbers are
// categories until there are too many different values. Then the column becomes text or numbers,
// and all readers start again.
//
// # Messages
//
// Messages are text (JSON) or binary: eight bytes, the first of which is the Change, followed by an
// Arrow IPC stream. docs/reference/http.md describes both under "The page's messages".
package view
