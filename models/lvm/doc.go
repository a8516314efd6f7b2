// Package lvm is Saul's latent variable model with a choice of tails: package student, whose tails
// are heavy (the default), or package saul, as published. Model files call it kind lvm.
//
// The settings of both models exist side by side. Those of the model that is not chosen must have
// their defaults. In model files they are one flat object (File).
package lvm
