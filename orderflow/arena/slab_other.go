//go:build !unix

package arena

import "errors"

func mapSlab(int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapSlab([]byte) error { return errors.ErrUnsupported }
