package workload

import "math/rand/v2"

// splitmix64 is the finaliser of Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators" (OOPSLA 2014): it makes neighbouring inputs unrelated.
func splitmix64(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return x ^ (x >> 31)
}

// stream is the random stream that belongs to one index of one seed. The purpose
// keeps arrivals, polls, texts and the steps of seeding apart.
func stream(seed, purpose uint64, index int64) *rand.Rand {
	k := splitmix64(seed ^ splitmix64(purpose))
	return rand.New(rand.NewPCG(splitmix64(k^uint64(index)), splitmix64(k+0x632be59bd9b4e019*uint64(index+1))))
}

const (
	purposeArrival = 1
	purposePlant   = 2
	purposeText    = 3
	purposePoll    = 4
)

const alphabet = "abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789 ,."

// textPool is the text from which ${text(a..b)} cuts its pieces; it is twice the
// longest piece, so that pieces of one length still differ.
func textPool(seed uint64, longest int64) string {
	r := stream(seed, purposeText, 0)
	b := make([]byte, 2*longest+4096)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}
