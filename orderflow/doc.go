// Package orderflow is the bundled system under test.
package orderflow
