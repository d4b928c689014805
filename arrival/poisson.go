package arrival

import (
	"math"
	"math/rand/v2"
	"sort"
	"sync"
	"time"
)

// Poisson returns the schedule of a Poisson process: independent exponential gaps with
// mean 1/rate. The same seed gives the same times.
//
// To find arrival i without adding up i gaps, the times hang in a binary tree. The
// time that n gaps take together is Gamma(n); given that of 2n gaps, the share of the
// first n is Beta(n, n) and independent of it (Lukacs 1955). So the root draws the
// time of 2^53 gaps, each inner node draws how its time is split between its halves,
// and each leaf, a block of 1,024 arrivals, draws its gaps and scales them to the time
// that it was given. Each node has a random generator of its own, seeded by its place:
// nothing is remembered but the last blocks, and the process is exactly Poisson.
func Poisson(r Rate, seed uint64) Schedule {
	return &poisson{rate: r, seed: seed, gap: float64(time.Second) / r.PerSecond()}
}

const (
	blockBits  = 10
	treeLevels = 43 // 2^53 arrivals: above that a float64 cannot count them
	cached     = 4  // the pacer and the line of waiting arrivals read at different places
)

type poisson struct {
	rate Rate
	seed uint64
	gap  float64 // mean, nanoseconds

	mu     sync.Mutex
	blocks [cached]*block
	oldest int
}

type block struct {
	number int64
	times  [1 << blockBits]time.Duration
}

func (p *poisson) At(i int64) time.Duration {
	if p.rate.IsZero() || i >= 1<<(blockBits+treeLevels) {
		return math.MaxInt64
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.block(i >> blockBits).times[i&(1<<blockBits-1)]
}

func (p *poisson) Count(d time.Duration) int64 {
	if d <= 0 || p.rate.IsZero() {
		return 0
	}
	// The count is within a few standard deviations of the mean; double until it is bracketed.
	high := min(p.rate.Count(d), math.MaxInt64/4) + 1<<blockBits
	for p.At(high) < d {
		high *= 2
	}
	return int64(sort.Search(int(high), func(i int) bool { return p.At(int64(i)) >= d }))
}

// block returns a block, from the cache if it is one of the last few. The caller holds mu.
func (p *poisson) block(number int64) *block {
	for _, b := range p.blocks {
		if b != nil && b.number == number {
			return b
		}
	}
	b := p.blocks[p.oldest]
	if b == nil {
		b = new(block)
		p.blocks[p.oldest] = b
	}
	p.oldest = (p.oldest + 1) % cached
	p.fill(b, number)
	return b
}

// fill draws the gaps of a block and scales them to the block's time.
func (p *poisson) fill(b *block, number int64) {
	from, to := p.bounds(number)
	random := p.random(leaf, number)
	var sums [1 << blockBits]float64
	sum := 0.0
	for j := range sums {
		sum += random.ExpFloat64()
		sums[j] = sum
	}
	b.number = number
	for j, s := range sums {
		// Rounding must not carry an arrival past the one that begins the next block.
		at := min(from+(to-from)*(s/sum), to) * p.gap
		b.times[j] = math.MaxInt64
		if at < math.MaxInt64 {
			b.times[j] = time.Duration(at)
		}
	}
}

// bounds returns the time, in mean gaps, at which a block begins and ends. Neighbours
// share the bound exactly, because both take it from the same node.
func (p *poisson) bounds(number int64) (from, to float64) {
	to = gamma(p.random(treeLevels, 0), 1<<(blockBits+treeLevels))
	for level := treeLevels - 1; level >= 0; level-- {
		random := p.random(level, number>>(level+1))
		half := float64(int64(1) << (blockBits + level))
		x, y := gamma(random, half), gamma(random, half)
		middle := from + (to-from)*(x/(x+y))
		if number>>level&1 == 0 {
			to = middle
		} else {
			from = middle
		}
	}
	return from, to
}

const leaf = -1

// random returns the generator of one node.
func (p *poisson) random(level int, node int64) *rand.Rand {
	place := mix(p.seed + mix(uint64(level)))
	return rand.New(rand.NewPCG(place, mix(place^mix(uint64(node)))))
}

// mix spreads each bit of x over all the bits of the result (the finaliser of SplitMix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// gamma draws from Gamma(shape, 1), shape >= 1 (Marsaglia and Tsang 2000).
func gamma(random *rand.Rand, shape float64) float64 {
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := random.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-random.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}
