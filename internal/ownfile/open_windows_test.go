package ownfile_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
)

// folder is a TempDir that may stay: Wine 8 lacks what os.RemoveAll calls.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ownfile")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func state(t *testing.T) (path, scratch string) {
	t.Helper()
	dir := folder(t)
	path, scratch = filepath.Join(dir, "state"), filepath.Join(dir, ".new")
	must(t, ownfile.Replace(path, scratch, []byte("0"), false))
	return path, scratch
}

func TestChangesWaitForAReaderThatDoesNotShare(t *testing.T) {
	for name, change := range map[string]func(path, scratch string) error{
		"replace": func(path, scratch string) error { return ownfile.Replace(path, scratch, []byte("new"), false) },
		"rename":  func(path, _ string) error { return ownfile.Rename(path, path+".moved") },
		"over":    func(path, _ string) error { return ownfile.Rename(another(t, path), path) },
		"remove":  func(path, _ string) error { return ownfile.Remove(path) },
		"append":  func(path, _ string) error { _, err := ownfile.Append(path, []byte("1")); return err },
		"read":    func(path, _ string) error { _, _, err := ownfile.Read(path, 0); return err },
	} {
		t.Run(name, func(t *testing.T) {
			path, scratch := state(t)
			closeReader := alone(t, path)
			done := make(chan error, 1)
			go func() { done <- change(path, scratch) }()
			select {
			case err := <-done:
				t.Fatalf("got %v, want it to wait for the reader", err)
			case <-time.After(50 * time.Millisecond):
			}
			closeReader()
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}

func another(t *testing.T, path string) string {
	must(t, os.WriteFile(path+".other", nil, 0o600))
	return path + ".other"
}

// alone opens a file and shares it with nobody.
func alone(t *testing.T, path string) (closeFile func()) {
	t.Helper()
	name, err := windows.UTF16PtrFromString(path)
	must(t, err)
	handle, err := windows.CreateFile(name, windows.GENERIC_READ, 0, nil, windows.OPEN_EXISTING, windows.FILE_ATTRIBUTE_NORMAL, 0)
	must(t, err)
	return func() { must(t, windows.CloseHandle(handle)) }
}

func TestAFileThatIsNeverLetGoIsAnError(t *testing.T) {
	path, scratch := state(t)
	closeReader := alone(t, path)
	defer closeReader()
	start := time.Now()
	err := ownfile.Replace(path, scratch, []byte("new"), false)
	if !errors.Is(err, windows.ERROR_SHARING_VIOLATION) && !errors.Is(err, windows.ERROR_ACCESS_DENIED) {
		t.Errorf("got %v, want why it cannot be replaced", err)
	}
	if took := time.Since(start); took < time.Second || took > 20*time.Second {
		t.Errorf("got %v, want about two seconds", took)
	}
}

// TestAReaderKeepsNoWriterOut has a reader that opens the file again and again,
// as status and watch do, while it is replaced and grows.
func TestAReaderKeepsNoWriterOut(t *testing.T) {
	path, scratch := state(t)
	stop := make(chan struct{})
	var reader sync.WaitGroup // Wine 8 replaces no open file, so it would let two keep a writer out
	reader.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if data, _, err := ownfile.Read(path, 0); err != nil || len(data) == 0 {
				t.Errorf("got %q, %v, want the file as it was or is", data, err)
				return
			}
		}
	})
	for i := range 15 {
		must(t, ownfile.Replace(path, scratch, fmt.Appendf(nil, "%d", i), false))
		_, err := ownfile.Append(path, []byte("+"))
		must(t, err)
	}
	close(stop)
	reader.Wait()
}
