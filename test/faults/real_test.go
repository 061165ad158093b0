//go:build linux

package faults_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// condition is an error that is not injected but brought about.
type condition struct {
	name  string
	mount bool                          // it needs a disk of its own, which root alone can mount
	begin func(w world) (func(), error) // and how it ends
	few   int                           // how many descriptors there are
	env   string                        // one more variable; with it the process is killed
}

// enough is how many descriptors a Go program needs for its runtime and one file.
// With fewer the runtime ends it: two are for the limits of a control group, two
// for its poller.
const enough = 8

// conditions are a limit of descriptors from 3 on, a disk that was mounted
// read-only, and one with so many pages left.
func conditions() (list []condition) {
	const few, pages = 10, 6
	for n := 3; n <= few; n++ {
		list = append(list, condition{name: fmt.Sprintf("at most %d descriptors", n), few: n})
	}
	list = append(list, condition{name: "a read-only disk", mount: true, begin: readOnly})
	for n := range pages {
		list = append(list, condition{name: fmt.Sprintf("a disk with %d pages left", n), mount: true, begin: full(n)})
	}
	return list
}

func readOnly(w world) (end func(), err error) {
	change := func(flags uintptr) error { return syscall.Mount("", w.dir, "", syscall.MS_REMOUNT|flags, "") }
	for range 1000 { // a process that another thread just starts may still hold a file that was copied
		if err = change(syscall.MS_RDONLY); err != syscall.EBUSY {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return func() { _ = change(0) }, err // what stays read-only is found by the checks
}

// full leaves so many pages of a disk free.
func full(pages int) func(w world) (func(), error) {
	return func(w world) (func(), error) {
		var disk syscall.Statfs_t
		if err := syscall.Statfs(w.dir, &disk); err != nil {
			return nil, err
		}
		filler := filepath.Join(w.dir, "filler")
		size := (int64(disk.Bfree) - int64(pages) - 1) * disk.Bsize // one more is the filler's own
		return func() { _ = os.Remove(filler) }, os.WriteFile(filler, make([]byte, max(size, 0)), 0o600)
	}
}

// under runs an operation under a condition and checks as after an injury.
func (p *profile) under(c condition, folder string) (wrong []string, err error) {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	if c.mount {
		if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=1m,mode=0700"); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, syscall.Unmount(folder, syscall.MNT_DETACH)) }()
	}
	w, err := p.world.copy(folder)
	if err != nil {
		return nil, err
	}
	end := func() {}
	if c.begin != nil {
		if end, err = c.begin(w); err != nil {
			return nil, err
		}
	}
	run := p.op.run(w)
	if c.env != "" {
		run.env = append(slices.Clone(run.env), c.env)
	}
	if c.few > 0 {
		// What make or a shell has open would be some of them.
		limit := fmt.Sprintf(`exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit -n %d && exec "$@"`, c.few)
		run.args = append([]string{"/bin/sh", "-c", limit, "sh"}, run.args...)
	}
	o, err := run.run()
	end()
	if err != nil {
		return nil, err
	}
	return p.check(w, injury{condition: c.name, dead: c.few > 0 && c.few < enough}, o), nil
}
