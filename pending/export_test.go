package pending

import (
	"context"
)

// ErrHalfWritten is for tests that make a claim's steps one by one.
var ErrHalfWritten = errHalfWritten

// Take is a claim without the loop's lock, to a path of the test's.
func (b *Box) Take(ctx context.Context, who Claimant, live string) (warning, err error) {
	return b.take(ctx, who, live)
}
