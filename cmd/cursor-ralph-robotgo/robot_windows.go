//go:build cgo

package main

import "errors"

func ready() error { return nil }

func tapPasteMac() error { return errors.New("the keyboard has no v") }
