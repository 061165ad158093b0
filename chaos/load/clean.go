package main

import "context"

func clean(ctx context.Context, s settings) (report, error) { return report{}, nil }
