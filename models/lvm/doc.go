// Package lvm is Saul's latent variable model with the tails that one chooses: package
// student, whose tails are heavy (the default), or package saul, as published. It is what
// model files call kind lvm: one choice, and the way to the model that was chosen.
//
// The settings of both are kept; those of the model that was not chosen have to be left
// at their defaults. In model files they are one flat object (File).
package lvm
