//go:build unix

package config

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestWhoseFileItIs(t *testing.T) {
	const text = "[loop]\nmax-iterations = 30\n"
	const nogroup = 65534 // other accounts are in it, too
	byGroup := ""
	if os.Getegid() == nogroup {
		byGroup = "other users can write it"
	}
	for _, tt := range []struct {
		name string
		do   func(path string) (string, error) // returns the path to load
		want string                            // in the error; empty for none
	}{
		{"the user's", func(p string) (string, error) { return p, nil }, ""},
		{"a link to the user's", func(p string) (string, error) { return p + ".link", os.Symlink(p, p+".link") }, ""},
		{"the group's", func(p string) (string, error) { return p, os.Chmod(p, 0o664) }, byGroup},
		{"everybody's", func(p string) (string, error) { return p, os.Chmod(p, 0o666) }, "other users can write it"},
		{"a link to everybody's", func(p string) (string, error) {
			return p + ".link", cmp.Or(os.Chmod(p, 0o602), os.Symlink(p, p+".link"))
		}, "other users can write it"},
		{"a folder", func(p string) (string, error) { return filepath.Dir(p), nil }, "it is not a file"},
		{"a pipe", func(p string) (string, error) { return p + ".pipe", syscall.Mkfifo(p+".pipe", 0o600) }, "it is not a file"},
		{"a link to nothing", func(p string) (string, error) { return p + ".link", os.Symlink(p+".gone", p+".link") }, ""},
		{"too large", func(p string) (string, error) {
			return p, os.WriteFile(p, []byte(strings.Repeat("#\n", sizeLimit)), 0o600)
		}, "larger than 64 KiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path, err := tt.do(written(t, text))
			if err != nil {
				t.Fatal(err)
			}
			_, err = Load(Source{Path: path})
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("got %v, want no error", err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v, want %q in it", err, tt.want)
			}
		})
	}
}
