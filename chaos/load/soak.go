package main

import "context"

func soak(ctx context.Context, s settings) (report, error)  { return report{}, nil }
func clean(ctx context.Context, s settings) (report, error) { return report{}, nil }
