// Package psi has the squared exponential kernel with a relevance for each dimension, and its
// expectations under uncertain inputs with their gradients (M. Titsias and N. Lawrence, "Bayesian
// Gaussian process latent variable model", AISTATS 2010; the psi statistics of Andrade-Pacheco et
// al. 2014, S6).
//
//	k(x,x') = v exp(-1/2 sum_q alpha_q (x_q - x'_q)^2)
//
// For an input x_n ~ N(mu_n, diag S_n) and inducing inputs z_a the expectations are
//
//	psi0_n    = <k(x_n, x_n)>             = v
//	Psi1_na   = <k(x_n, z_a)>             = v prod_q (alpha_q S_nq + 1)^-1/2
//	            exp(-1/2 alpha_q (mu_nq - z_aq)^2 / (alpha_q S_nq + 1))
//	Psi2n_ab  = <k(x_n, z_a) k(x_n, z_b)> = v^2 prod_q (2 alpha_q S_nq + 1)^-1/2
//	            exp(-alpha_q (z_aq - z_bq)^2/4 - alpha_q (mu_nq - (z_aq + z_bq)/2)^2 / (2 alpha_q S_nq + 1)).
//
// With S = 0 these are k(x, z) and products of two such values, so certain inputs need no separate
// code.
//
// # Gradients
//
// The n m^2 elements of Psi2n are never stored. Second returns their weighted sum, and Gradient
// takes weights of the form c_n W with one matrix W. Only half of the pairs (a, b) are visited, and
// each exponential is computed once.
package psi
