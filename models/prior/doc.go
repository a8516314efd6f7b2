// Package prior is a Gaussian prior of the positions on a map. Its mean is a frame: another map of
// the same points. It preserves the global shape of a map, which neighbours do not determine.
//
//	frame, used, err := prior.Settings{Frame: prior.PCA}.Places(ctx, points, 2)
//	p := prior.New(frame)
//	p.Fit(mu)                              // in each step of learning: T
//	p.Add(mu, kappa, diagonal, gradient)   // the term of the mu step
//
// # The prior
//
// A frame is given up to a similarity transform T: translation, rotation or reflection, and one
// scale. For a position p_i in the frame of every point i the prior is
//
//	log p(mu) = -kappa/2 sum_i |mu_i - T(p_i)|^2 + const,
//	T = argmin_T sum_i |mu_i - T(p_i)|^2.                                      (H15)
//
// T has a closed form, Procrustes with a free scale (H18). Points without a position in the frame
// are free: they have no term.
//
// # The step of mu
//
// Learning maximises L + log p(mu), MAP-EM. Both terms are quadratic for a given E-step and T. So
// kappa is added to the diagonal of the system (H5 of package student, eq 20 of the paper), and the
// pull of the prior to the gradient:
//
//	(Lap(W) + Gamma + kappa) (mu_new - mu) = dL/dmu - kappa (mu - T(p)).       (H16)
//
// Setting T to its optimum is a coordinate step. Monotone updates stay monotone with a prior, and
// the system is better conditioned.
//
// # The weight
//
// kappa decreases geometrically while a map is learnt (H17). A map first takes the shape of its
// frame. A small remaining weight then costs no neighbourhood, and keeps groups in the frame's
// arrangement.
//
// # Frames
//
//	pca        principal components, which are the start of learning anyway
//	mds        landmarks by their distances (package mds)
//	geodesic   landmarks by the lengths of paths along the data: unrolls a sheet
//	           both without rows beyond five times the median radius, which are free
//	auto       geodesic where the points lie on a curved sheet (mds.Curved), else pca
//	given      anything else: geography, a map of yesterday
package prior
