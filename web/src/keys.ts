// The keys that the page knows, for its list of them.

export const keys: readonly (readonly [string, string])[] = [
  ["← → ↑ ↓", "move the map; with Shift farther"],
  ["+ -", "zoom"],
  ["0", "show the whole map"],
  ["Enter", "choose the point in the middle"],
  ["/", "search"],
  ["C", "choose the column that colours"],
  ["K", "clusters: how large they are, and what became of them"],
  ["S", "select the points in view"],
  ["V L R", "move, lasso, rectangle; Shift and dragging is a lasso, too"],
  ["Space", "pause a live map, and play on"],
  ["W", "where would this go? Place a record"],
  ["N", "names on the map"],
  ["O", "outlines of classes"],
  ["D", "light or dark"],
  ["Esc", "end a selection or a search"],
];
