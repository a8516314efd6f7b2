// Package points converts rows to the points that a model learns, and the learnt points to the
// published result. Packages saul and student share it.
//
//	rows --- check, collapse, neighbours ---> points --- model ---> places --- check ---> Result
//
// Equal rows become one point. A Fit has the points, the result and the timing of the stages.
// Components are positions that learning may start from.
package points
