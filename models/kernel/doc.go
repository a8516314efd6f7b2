// Package kernel holds covariance functions with their gradients: rbf, linear,
// multi-layer perceptron, bias and white noise, and their sums (N. Lawrence,
// "Probabilistic non-linear principal component analysis with Gaussian process
// latent variable models", JMLR 2005, section 7.1).
//
//	k := kernel.New(kernel.RBF{}, kernel.Bias{}, kernel.White{})
//	theta := k.Start()                 // positive, part after part
//	k.Matrix(K, theta, x, threads)     // K(X, X), white noise on its diagonal
//	k.Cross(K, theta, x, x2, threads)  // K(X, X2), without white noise
//
// # A part
//
// A covariance function is a small file that implements Part: its value for a
// point against many, and what a weighted sum of such values has for gradients
// in the point and in the parameters. Everything else, symmetric matrices,
// threads, sums of parts, follows from these two loops. A part that covers only
// the diagonal, as White, is a Noise too.
//
// # Gradients
//
// Gradient returns, for weights W = dF/dK of any function F of K (its elements
// taken as independent; W symmetric), the derivatives of F in theta and in X, of
// which row and column of K depend. GradientCross holds X2 fixed.
//
// # Parameters
//
// All are positive. Optimisers move theta' freely, theta = ln(1 + e^theta')
// (7.1.5): Positive, Free, and ToFree for gradients.
package kernel
