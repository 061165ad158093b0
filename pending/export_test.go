package pending

import (
	"context"

	"github.com/cursor-ralph/cursor-ralph/loop"
)

// ErrHalfWritten is for tests that make a claim's steps one by one.
var ErrHalfWritten = errHalfWritten

// Take is a claim without the loop's lock, to a path of the test's.
func (b *Box) Take(ctx context.Context, who Claimant, live string) (warning, err error) {
	return b.take(ctx, who, live)
}

// Change changes a file, with an archive of the test's.
func (b *Box) Change(ctx context.Context, i Item, change func(loop.State) loop.State, archive func(loop.State) error) error {
	return b.change(ctx, i, change, archive)
}

// BindFile only binds.
func (b *Box) BindFile(ctx context.Context, token, id string) error {
	return b.bindFile(ctx, token, id)
}
