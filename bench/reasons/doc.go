// Command reasons measures how well the reasons of package models/reasons name the columns
// that attacks are known by, beside SHAP on the same score, and what both take. It writes
// docs/reasons.md. Nothing on that page is typed by hand but what the attacks do (attacks.go).
//
//	make reasons UNFOLD_DATA=DIR
package main
