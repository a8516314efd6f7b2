// Command reasons measures how well package models/reasons names the columns that identify attacks,
// in comparison with SHAP on the same score, and the time of both. It writes docs/reasons.md. All
// figures on the page are measured; only the description of the attacks is typed (attacks.go).
//
//	make reasons UNFOLD_DATA=DIR
package main
