// Package psi holds the squared exponential kernel with a relevance for each
// dimension and its expectations under uncertain inputs, with their gradients
// (M. Titsias and N. Lawrence, "Bayesian Gaussian process latent variable model",
// AISTATS 2010; the psi statistics of Andrade-Pacheco et al. 2014, S6).
//
//	k(x,x') = v exp(-1/2 sum_q alpha_q (x_q - x'_q)^2)
//
// and for an input x_n ~ N(mu_n, diag S_n) and inducing inputs z_a
//
//	psi0_n    = <k(x_n, x_n)>             = v
//	Psi1_na   = <k(x_n, z_a)>             = v prod_q (alpha_q S_nq + 1)^-1/2
//	            exp(-1/2 alpha_q (mu_nq - z_aq)^2 / (alpha_q S_nq + 1))
//	Psi2n_ab  = <k(x_n, z_a) k(x_n, z_b)> = v^2 prod_q (2 alpha_q S_nq + 1)^-1/2
//	            exp(-alpha_q (z_aq - z_bq)^2/4 - alpha_q (mu_nq - (z_aq + z_bq)/2)^2 / (2 alpha_q S_nq + 1)).
//
// With S = 0 these are k(x, z) and the products of two: certain inputs need no
// code of their own.
//
// # Gradients
//
// The n m^2 numbers Psi2n are never kept. What depends on them takes them in a
// weighted sum, Second, and its gradient wants weights c_n W with one matrix W
// (Gradient): half the pairs (a, b), each exponential once.
package psi
