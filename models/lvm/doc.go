// Package lvm is the latent variable model of L. K. Saul, "A tractable latent
// variable model for nonlinear dimensionality reduction" (PNAS 2020).
package lvm
