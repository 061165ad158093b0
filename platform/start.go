package platform

import (
	"cmp"
	"errors"
	"os"
)

// Start runs a program that lives on without us: in a session of its own, and
// with none of our streams, because the editor waits until its hook's streams
// are closed. It is not waited for.
func Start(path string, args ...string) error {
	p, err := start(path, args, nil, nil)
	if err != nil {
		return err
	}
	return p.Release()
}

// start starts a program in a session of its own. A stream that is nil is the
// null device, as standard error always is.
func start(path string, args []string, in, out *os.File) (child *os.Process, err error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, null.Close()) }()
	if err := keepDescriptors(); err != nil {
		return nil, err
	}
	return os.StartProcess(path, append([]string{path}, args...), &os.ProcAttr{
		Files: []*os.File{cmp.Or(in, null), cmp.Or(out, null), null}, Sys: detached(),
	})
}

// HasDesktop tells whether there may be a desktop that shows notifications.
func HasDesktop(goos string, getenv func(string) string) bool {
	if goos == "windows" || goos == "darwin" {
		return true
	}
	return getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != "" || getenv("DBUS_SESSION_BUS_ADDRESS") != ""
}
