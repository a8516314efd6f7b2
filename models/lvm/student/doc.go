// Package student is the heavy-tailed latent variable model.
package student
