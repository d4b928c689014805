package orderflow

import (
	"errors"
	"math"
	"strconv"
)

// cents is an amount of money. In JSON it is a number of whole units with two decimals;
// text that holds one is read too, as clients that keep decimals exact send it.
type cents int64

// maxPrice keeps every total of an order (maxLineItems x maxQuantity x maxPrice) within an int64.
const maxPrice = cents(1_000_000_00)

var errPrice = errors.New("a price must be a number from 0 to 1000000")

// UnmarshalJSON rounds to the nearest cent.
func (c *cents) UnmarshalJSON(b []byte) error {
	if n := len(b); n >= 2 && b[0] == '"' && b[n-1] == '"' {
		b = b[1 : n-1]
	}
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil || !(f >= 0 && f <= float64(maxPrice)/100) {
		return errPrice
	}
	*c = cents(math.Round(f * 100))
	return nil
}

// MarshalJSON writes two decimals.
func (c cents) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(c)/100, 'f', 2, 64), nil
}
