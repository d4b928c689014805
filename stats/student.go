package stats

import "math"

// TCDF returns P(T <= t) for Student's t with df >= 1 degrees of freedom.
func TCDF(t, df float64) float64 {
	tail := TTwoSided(t, df) / 2
	if t < 0 {
		return tail
	}
	return 1 - tail
}

// TTwoSided returns P(|T| >= |t|) for Student's t with df >= 1 degrees of
// freedom: I_x(df/2, 1/2) with x = df/(df+t^2), the regularised incomplete beta
// function (Abramowitz and Stegun 26.5.27).
func TTwoSided(t, df float64) float64 {
	if math.IsInf(t, 0) {
		return 0
	}
	if df > nearlyNormal {
		return math.Erfc(math.Abs(equivalentNormal(t, df)) / math.Sqrt2)
	}
	return incompleteBetaHalf(df/2, df/(df+t*t), t*t/(df+t*t))
}

// TCritical returns the t that |T| exceeds with probability level, in (0, 1):
// t_(df, 1-level/2). It is NaN for a level outside (0, 1) or df < 1.
//
// It takes the two-sided level rather than 1-level/2, because subtracting a
// small level from one would lose its digits.
func TCritical(level, df float64) float64 {
	if !(level > 0 && level < 1) || !(df >= 1) {
		return math.NaN()
	}
	// Newton's method on ln p against ln t. That curve is concave and falling, so
	// it converges from any start, after the first step from above.
	t := min(math.Sqrt2*math.Erfcinv(level), 8)
	for range 100 {
		p := TTwoSided(t, df)
		next := t * math.Exp(math.Log(p/level)*p/(2*t*tDensity(t, df)))
		if math.Abs(next-t) <= 1e-10*t {
			return next // the step squares the error, so nothing is left of it
		}
		t = next
	}
	return t
}

// TQuantile returns the t with TCDF(t, df) = p, for p in (0, 1).
func TQuantile(p, df float64) float64 {
	switch {
	case p == 0.5:
		return 0
	case p < 0.5:
		return -TCritical(2*p, df)
	}
	return TCritical(2*(1-p), df)
}

// NormalQuantile returns the z with P(Z <= z) = p for the standard normal.
func NormalQuantile(p float64) float64 {
	return -math.Sqrt2 * math.Erfcinv(2*p)
}

// nearlyNormal is where the expansion around the normal becomes more exact than
// the continued fraction.
const nearlyNormal = 1e5

// equivalentNormal returns the z with the tail of t, to order 1/df^2 (Fisher
// 1926): t - (t^3+t)/(4 df) + (13 t^5 + 8 t^3 + 3 t)/(96 df^2).
func equivalentNormal(t, df float64) float64 {
	t2 := t * t
	return t * (1 - (t2+1)/(4*df) + (13*t2*t2+8*t2+3)/(96*df*df))
}

func tDensity(t, df float64) float64 {
	lnNorm := lnBetaHalf(df/2) + math.Log(df)/2
	return math.Exp(-lnNorm - (df+1)/2*math.Log1p(t*t/df))
}

// incompleteBetaHalf returns the regularised incomplete beta function
// I_x(a, 1/2). y must be 1-x, computed without cancellation by the caller.
func incompleteBetaHalf(a, x, y float64) float64 {
	const b = 0.5
	switch {
	case x <= 0:
		return 0
	case y <= 0:
		return 1
	}
	lnX, lnY := math.Log(x), math.Log(y)
	if x > 0.5 {
		lnX = math.Log1p(-y)
	} else {
		lnY = math.Log1p(-x)
	}
	front := math.Exp(a*lnX + b*lnY - lnBetaHalf(a))
	if x < (a+1)/(a+b+2) {
		return front * betaFraction(a, b, x) / a
	}
	return 1 - front*betaFraction(b, a, y)/b
}

// lnBetaHalf returns ln B(a, 1/2). Above 100 it uses the expansion of
// Γ(a+1/2)/Γ(a) in 1/a (Tricomi and Erdélyi 1951), since the difference of two
// large log-gammas would lose the digits we promise.
func lnBetaHalf(a float64) float64 {
	lnPi := math.Log(math.Pi)
	if a < 100 {
		la, _ := math.Lgamma(a)
		lb, _ := math.Lgamma(a + 0.5)
		return la + lnPi/2 - lb
	}
	r := 1 / a
	series := r * (-1.0/8 + r*(1.0/128+r*(5.0/1024-r*21.0/32768)))
	return lnPi/2 - math.Log(a)/2 - math.Log1p(series)
}

// betaFraction evaluates the continued fraction of the incomplete beta function
// (Abramowitz and Stegun 26.5.8) by Lentz's method. It converges fast for
// x < (a+1)/(a+b+2), where no denominator comes near zero.
func betaFraction(a, b, x float64) float64 {
	const limit, precision = 100_000, 1e-16
	c, d := 1.0, 1/(1-(a+b)*x/(a+1))
	h := d
	for i := 1; i <= limit; i++ {
		m := float64(i)
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		c, d = 1+even/c, 1/(1+even*d)
		h *= c * d
		c, d = 1+odd/c, 1/(1+odd*d)
		h *= c * d
		if math.Abs(c*d-1) < precision {
			break
		}
	}
	return h
}
