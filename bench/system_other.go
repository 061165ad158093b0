//go:build !linux

package main

import "os"

func diskFolder() string { return os.TempDir() }

func tmpfsFolder() string { return "" }

func flush() error { return nil }
