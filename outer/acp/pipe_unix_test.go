//go:build unix

package acp

import (
	"path/filepath"
	"syscall"
	"testing"
)

func TestAPipeIsNotAFile(t *testing.T) {
	dir := scene(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	ws, err := openWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ws.close() }()
	_, err = ws.read(t.Context(), "pipe", 0, 0)
	contains(t, "read", said(err), "not a plain file")
	if err := ws.write("pipe", "x"); err == nil {
		t.Error("it was written to")
	}
}
