package stats

import (
	"fmt"
	"math"
)

// OrderFit is the model d_j = m + g o_j + e, where o_j is +1 if A ran first and
// -1 if B did, fitted by least squares with n-2 degrees of freedom. g is how
// much slower (log scale) the second run of a pair was, drift included.
type OrderFit struct {
	DF          int
	Mean        float64 // m: the order-adjusted estimate
	SE, P       float64 // of m
	Order       float64 // g
	OrderSE     float64
	OrderP      float64
	residualVar float64
}

// OrderLevel is the level at which the order term is worth a note.
const OrderLevel = 0.01

// FitOrder fits the order term to pairs of positive values. It needs at least
// three pairs and both orders among them.
func FitOrder(pairs []Pair) (OrderFit, error) {
	d, err := logDifferences(pairs)
	if err != nil {
		return OrderFit{}, err
	}
	first := make([]bool, len(pairs))
	for i, p := range pairs {
		first[i] = p.AFirst
	}
	return fitOrder(d, first)
}

func fitOrder(d []float64, aFirst []bool) (OrderFit, error) {
	n := float64(len(d))
	o := make([]float64, len(d))
	for i, first := range aFirst {
		o[i] = -1
		if first {
			o[i] = 1
		}
	}
	oMean, dMean := average(o), average(d)
	var soo, sod float64
	for i := range d {
		soo += (o[i] - oMean) * (o[i] - oMean)
		sod += (o[i] - oMean) * d[i]
	}
	if len(d) < 3 || soo == 0 {
		return OrderFit{}, fmt.Errorf("order term: %d pairs, %v of them A first: want at least 3 pairs and both orders",
			len(d), n*(1+oMean)/2)
	}
	f := OrderFit{DF: len(d) - 2, Order: sod / soo}
	f.Mean = dMean - f.Order*oMean
	var rss float64
	for i := range d {
		r := d[i] - f.Mean - f.Order*o[i]
		rss += r * r
	}
	f.residualVar = rss / float64(f.DF)
	f.SE, f.P = f.test(f.Mean, 1/n+oMean*oMean/soo)
	f.OrderSE, f.OrderP = f.test(f.Order, 1/soo)
	return f, nil
}

// test returns the standard error and the two-sided p of a coefficient whose
// variance is the residual variance times leverage.
func (f OrderFit) test(coefficient, leverage float64) (se, p float64) {
	if math.Sqrt(f.residualVar) <= negligible {
		if math.Abs(coefficient) <= negligible {
			return 0, 1
		}
		return 0, 0
	}
	se = math.Sqrt(f.residualVar * leverage)
	return se, TTwoSided(coefficient/se, float64(f.DF))
}

// Interval returns Mean ± t_(n-2, 1-level/2) SE.
func (f OrderFit) Interval(level float64) Interval {
	if f.SE == 0 {
		return Interval{f.Mean, f.Mean}
	}
	half := TCritical(level, float64(f.DF)) * f.SE
	return Interval{f.Mean - half, f.Mean + half}
}

// Noted reports whether the order term is significant at OrderLevel.
func (f OrderFit) Noted() bool { return f.OrderP <= OrderLevel }
