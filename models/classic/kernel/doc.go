// Package kernel has covariance functions with their gradients: rbf, linear, multi-layer
// perceptron, bias and white noise, and sums of them (N. Lawrence, "Probabilistic non-linear
// principal component analysis with Gaussian process latent variable models", JMLR 2005, section
// 7.1).
//
//	k := kernel.New(kernel.RBF{}, kernel.Bias{}, kernel.White{})
//	theta := k.Start()                 // positive, part after part
//	k.Matrix(K, theta, x, threads)     // K(X, X), white noise on its diagonal
//	k.Cross(K, theta, x, x2, threads)  // K(X, X2), without white noise
//
// # A part
//
// A covariance function is a small file that implements Part. It computes the values of one point
// against many, and the gradients of a weighted sum of these values in the point and in the
// parameters. Everything else (symmetric matrices, threads, sums of parts) is built on these two
// loops. White covers only the diagonal.
//
// # Gradients
//
// Gradient takes weights W = dF/dK of any function F of K, where the elements of K count as
// independent and W is symmetric. It returns the derivatives of F in theta and in X, on which both
// rows and columns of K depend. GradientCross keeps X2 fixed.
//
// # Parameters
//
// All parameters are positive. Optimisers vary the unbounded theta', with theta = ln(1 + e^theta')
// (7.1.5): see Positive, Free, and ToFree for gradients.
package kernel
