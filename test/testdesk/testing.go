package testdesk

import (
	"context"
	"os/exec"
	"testing"
	"time"
)

// Needs skips a test where a program is not installed.
func Needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skip("needs " + p)
		}
	}
}

// Must ends a test at the first error.
func Must(t testing.TB, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Patient returns a context for what a test waits for.
func Patient(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// NewX starts an X server with a window manager for a test.
func NewX(t *testing.T, args ...string) *X {
	t.Helper()
	Needs(t, "Xvfb", "openbox", "setxkbmap", "xclip", "xdotool")
	x, err := StartX(Patient(t), t.TempDir(), args...)
	Must(t, err)
	t.Cleanup(func() { Must(t, x.Close()) })
	Must(t, x.StartWM(Patient(t)))
	return x
}
