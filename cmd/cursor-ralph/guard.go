package main

import (
	"context"
)

func guard(_ context.Context, _ *env, _ []string) error { return nil }
