package arrival

import (
	"math"
	"slices"
	"testing"
	"time"
)

// walk returns the times of n arrivals from the first.
func walk(s Schedule, first int64, n int) []time.Duration {
	times := make([]time.Duration, n)
	for i := range times {
		times[i] = s.At(first + int64(i))
	}
	return times
}

func TestPoissonIsAFunctionOfTheIndex(t *testing.T) {
	rate := mustParse(t, "1000/s")
	inOrder := walk(Poisson(rate, 7), 0, 10_000)
	if !slices.IsSorted(inOrder) {
		t.Error("times decrease")
	}
	backwards := Poisson(rate, 7)
	for i := len(inOrder) - 1; i >= 0; i -= 37 {
		if got := backwards.At(int64(i)); got != inOrder[i] {
			t.Fatalf("arrival %d: %v in order, %v at random", i, inOrder[i], got)
		}
	}
	if slices.Equal(inOrder, walk(Poisson(rate, 8), 0, 10_000)) {
		t.Error("another seed gives the same times")
	}
	// Another rate stretches the same process.
	if slow := Poisson(mustParse(t, "1/s"), 7).At(9_999); (slow/1000 - inOrder[9_999]).Abs() > 1 {
		t.Errorf("at 1/s: %v, at 1000/s: %v", slow, inOrder[9_999])
	}
}

func TestPoissonCount(t *testing.T) {
	s := Poisson(mustParse(t, "100/s"), 3)
	for _, d := range []time.Duration{-1, 0, 1, time.Millisecond, time.Second, time.Minute, 3 * time.Hour} {
		n := s.Count(d)
		if n > 0 && s.At(n-1) >= d {
			t.Errorf("%v: arrival %d of %d is at %v", d, n-1, n, s.At(n-1))
		}
		if s.At(n) < d {
			t.Errorf("%v: arrival %d is at %v and not counted", d, n, s.At(n))
		}
	}
	if n := Poisson(mustParse(t, "1000000000/s"), 3).Count(math.MaxInt64); n < 1<<52 {
		t.Errorf("the longest run has %d arrivals", n)
	}
}

// The count of a long time has mean rate x time and standard deviation sqrt(that): a
// bias of the rate would show in most of the seeds.
func TestPoissonRateIsUnbiased(t *testing.T) {
	const seeds, mean = 200, 36_000.0
	sum := 0.0
	for seed := range uint64(seeds) {
		sum += float64(Poisson(mustParse(t, "10/s"), seed).Count(time.Hour)) - mean
	}
	if z := sum / math.Sqrt(mean*seeds); math.Abs(z) > 3 {
		t.Errorf("the mean over %d seeds is %.1f standard errors off", seeds, z)
	}
}

// The index of dispersion, variance over mean of the counts in equal cells, is 1 for a
// Poisson process at every cell size: below it the arrivals are too even, above it they
// bunch. Cells of 10 to 10,000 arrivals lie inside and across the blocks of 1,024.
func TestPoissonDispersion(t *testing.T) {
	const total = 1_000_000
	s := Poisson(mustParse(t, "1000/s"), 11)
	for _, perCell := range []int{10, 100, 1_000, 10_000} {
		cell := time.Duration(perCell) * time.Millisecond
		counts := make([]float64, total/perCell)
		for i := int64(0); ; i++ {
			k := int(s.At(i) / cell)
			if k >= len(counts) {
				break
			}
			counts[k]++
		}
		mean, square := 0.0, 0.0
		for _, c := range counts {
			mean += c / float64(len(counts))
		}
		for _, c := range counts {
			square += (c - mean) * (c - mean)
		}
		dispersion := square / float64(len(counts)-1) / mean
		// (n-1) x dispersion is chi-squared: standard error sqrt(2/(n-1)).
		if z := (dispersion - 1) / math.Sqrt(2/float64(len(counts)-1)); math.Abs(z) > 3.5 {
			t.Errorf("cells of %d: dispersion %.3f, %.1f standard errors from 1", perCell, dispersion, z)
		}
	}
}

// Kolmogorov-Smirnov against 1 - exp(-x): sqrt(n) x D above 1.95 has probability 0.001.
func TestPoissonGapsAreExponential(t *testing.T) {
	const n = 20_000
	for _, first := range []int64{0, 1_000_000_000} {
		times := walk(Poisson(mustParse(t, "1/s"), 5), first, n+1)
		gaps := make([]float64, n)
		serial := 0.0
		for i := range gaps {
			gaps[i] = (times[i+1] - times[i]).Seconds()
			if i > 0 {
				serial += (gaps[i] - 1) * (gaps[i-1] - 1) / n
			}
		}
		if z := serial * math.Sqrt(n); math.Abs(z) > 3.5 {
			t.Errorf("from %d: neighbouring gaps correlate, z = %.1f", first, z)
		}
		slices.Sort(gaps)
		distance := 0.0
		for i, g := range gaps {
			p := 1 - math.Exp(-g)
			distance = max(distance, p-float64(i)/n, float64(i+1)/n-p)
		}
		if distance*math.Sqrt(n) > 1.95 {
			t.Errorf("from %d: KS distance %.4f", first, distance)
		}
	}
}

// Gamma(n) has mean n and variance n.
func TestGammaMoments(t *testing.T) {
	p := &poisson{seed: 1}
	for _, shape := range []float64{1, 2.5, 1024, 1 << 40} {
		random := p.random(0, int64(shape))
		const n = 100_000
		sum, square := 0.0, 0.0
		for range n {
			x := (gamma(random, shape) - shape) / math.Sqrt(shape)
			sum += x
			square += x * x
		}
		if mean, variance := sum/n, square/n; math.Abs(mean) > 0.012 || math.Abs(variance-1) > 0.04 {
			t.Errorf("shape %g: standardised mean %.4f, variance %.4f", shape, mean, variance)
		}
	}
}

func BenchmarkPoissonInOrder(b *testing.B) {
	s := Poisson(mustParse(b, "1000/s"), 1)
	for i := int64(0); b.Loop(); i++ {
		s.At(i)
	}
}

func BenchmarkPoissonAtRandom(b *testing.B) {
	s := Poisson(mustParse(b, "1000/s"), 1)
	for i := int64(0); b.Loop(); i++ {
		s.At(i * 7919 % 1_000_000_007)
	}
}
