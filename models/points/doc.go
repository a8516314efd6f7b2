// Package points is the way from rows to the points that a model learns, and back to
// what is published of them. Packages saul and student share it.
//
//	rows --- check, collapse, neighbours ---> points --- model ---> places --- check ---> Result
//
// Equal rows are one point. A Fit keeps the points, the result that comes of them and
// the clock of the stages; Components are the places that learning may start from.
package points
