//go:build !cgo

package main

const built = false

func robotgoVersion() string { return "" }

func ready() error { return nil }

func (action) perform() error { return nil }
