// Package proc starts programs: to live on without us (Start), or to run to
// their end within a limit (Command). Its subpackage supervise ends whole
// process trees. No other package of the product may do either.
//
// The hook links this package, so it does without os/exec.
package proc

import (
	"errors"
	"os"
)

// Start starts a program that lives on without us. It runs in a session of its
// own and has none of our streams, because the editor waits until its hook's
// streams are closed.
func Start(path string, args ...string) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	p, err := start(path, args, &os.ProcAttr{Files: []*os.File{null, null, null}, Sys: detached()})
	if err = errors.Join(err, null.Close()); p == nil {
		return err
	}
	return p.Release()
}

func start(path string, args []string, attr *os.ProcAttr) (*os.Process, error) {
	if err := keepDescriptors(); err != nil {
		return nil, err
	}
	return os.StartProcess(path, append([]string{path}, args...), attr)
}
