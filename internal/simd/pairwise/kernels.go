package pairwise

import "unfold/internal/simd"

var level = simd.Best()

// Push returns the force of a run of sources on a target; it does not sum the Bound.
func Push(t *Spot[float64], r *Run[float64]) Force { return pushAt(level, t, r) }

// PushFar is Push with the sum of the majoriser for far pairs, both directions,
//
//	6/(q+A) + 6/(q+B),
//
// with the common denominator of Push.
func PushFar(t *Spot[float64], r *Run[float64]) Force { return pushFarAt(level, t, r) }

// Logs returns the sum of the weighted log-likelihoods of both directions,
//
//	log(q/(q+A)) + log(q/(q+B)) = log(q^2 / (q^2 + m)),   m = (A+B) q + AB,
//
// each with an absolute error of at most 1e-14 relative to itself plus 2^-52.
func Logs(t *Spot[float64], r *Run[float64]) float64 { return logsAt(level, t, r) }

// PushSpace32 returns the force of a run of sources on a target in space, d = 3 and a = 3/2, in
// single precision. With q = sigma_i^2 + sigma_j^2 + r^2/3, y = (1 + q/Delta^2)^(-1/2) the
// repulsion is the sum over Delta_i and Delta_j of
//
//	y^3 (1 + y) / (q (1 + y + y^2)).
func PushSpace32(t *SpaceSpot[float32], r *SpaceRun[float32]) SpaceForce {
	return pushSpace32At(level, t, r)
}

// LogsSpace is Logs in space, d = 3 and a = 3/2. With x = q/Delta^2, z = 1 + x, g = 1 +
// sqrt z it sums the logarithms, over Delta_i and Delta_j, of
//
//	1 - z^(-3/2) = x (g + z) / (g z^(3/2)).
func LogsSpace(t *SpaceSpot[float64], r *SpaceRun[float64]) float64 { return logsSpaceAt(level, t, r) }

// Push32 is Push in single precision.
func Push32(t *Spot[float32], r *Run[float32]) Force { return push32At(level, t, r) }

// PushFar32 is PushFar in single precision.
func PushFar32(t *Spot[float32], r *Run[float32]) Force { return pushFar32At(level, t, r) }

// Narrow sets dst_k to src_k - centre in single precision. Differences between numbers near the
// centre then keep more precision than the numbers themselves would. dst is as long as src.
func Narrow(dst []float32, src []float64, centre float64) { narrowAt(level, dst, src, centre) }

// Distances sets r2_k to |mu - source k|^2, where columns are the sources'
// coordinates, len(mu) slices of at least the length of r2.
func Distances(r2, mu []float64, columns [][]float64) { distancesAt(level, r2, mu, columns) }

// Repulsions sets V_k to w_k V_ij, both directions of a pair together: with q =
// sigma_i^2 + sigma_j^2 + r^2/d, z = 1 + q/Delta^2 and g = 1 + sqrt z the sum over
// Delta_i and Delta_j of
//
//	1 / (q z S_h(z)),  d even,   g / (q z (g S_h(z) + z^h)),  d odd,   h = Half.
func Repulsions(b *Block) { repulsionsAt(level, b) }

// Gather adds sum_k v_k columns_ck to sum_c and sum_k v_k to sum_d, d =
// len(columns).
func Gather(sum, v []float64, columns [][]float64) { gatherAt(level, sum, v, columns) }
