//go:build !cgo

package main

const built = false

func robotgoVersion() string { return "" }

func ready() error { return nil }

func tap(string, []string) error { return nil }
