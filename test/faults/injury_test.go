//go:build linux

package faults_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
)

// injury is what is done to a process: a system call about a path kills it, or fails. Where the path is another one in every
// run, any call of that name does.
type injury struct {
	call   string
	path   string // below the folder of the world
	n      int    // which of these calls, from 1; a thread that makes its first one counts anew
	errno  string // none kills
	always bool   // later calls fail too

	condition string // instead of a call, see conditions
	dead      bool   // Go's runtime ends the process
}

// options returns what injures a process of a world under strace.
func (i injury) options(w world) []string {
	what := "signal=KILL"
	if i.errno != "" {
		what = "error=" + i.errno
	}
	from := ""
	if i.always {
		from = "+"
	}
	options := []string{"-e", "trace=" + i.call, "-e", fmt.Sprintf("inject=%s:%s:when=%d%s", i.call, what, i.n, from)}
	if i.path != "" {
		options = append(options, "-P", w.dir+i.path)
	}
	if i.errno != "" {
		options = append(options, "--seccomp-bpf") // faster, but a signal gets lost
	}
	return options
}

func (i injury) String() string {
	what := i.errno
	if what == "" {
		what = "killed"
	}
	if i.always {
		what += " from then on"
	}
	return fmt.Sprintf("%s at %s %d of %s", what, i.call, i.n, i.path)
}

// kind is what is known of a system call that is about files.
type kind struct {
	named   bool     // by a path, not by a descriptor
	changes bool     // files, or a lock
	ours    bool     // Go's runtime never makes it, so that it needs no path to be found
	errors  []string // those of its manual page that come from outside: a disk, a limit, a signal, permissions
}

func kinds() map[string]kind {
	list := strings.Fields
	return map[string]kind{
		"openat":     {true, true, false, list("EIO EINTR EACCES EMFILE")},
		"newfstatat": {true, false, false, list("EIO EACCES")},
		"readlinkat": {true, false, false, list("EIO EACCES")},
		"mkdirat":    {true, true, true, list("ENOSPC EIO EACCES EROFS")},
		"renameat":   {true, true, true, list("ENOSPC EIO EACCES EROFS")},
		"renameat2":  {true, true, true, list("ENOSPC EIO EACCES EROFS")},
		"linkat":     {true, true, true, list("ENOSPC EIO EACCES EROFS")},
		"unlinkat":   {true, true, true, list("EIO EACCES EROFS")},
		"fchmodat":   {true, true, true, list("EIO EACCES EROFS")},
		"fchmod":     {false, true, true, list("EIO EROFS")},
		"utimensat":  {true, true, true, list("EIO EACCES EROFS")},
		"fstat":      {false, false, false, list("EIO")},
		"read":       {false, false, false, list("EIO EINTR")},
		"pread64":    {false, false, false, list("EIO EINTR")},
		"getdents64": {false, false, false, list("EIO")},
		"write":      {false, true, false, list("ENOSPC EIO EINTR")},
		"fsync":      {false, true, true, list("ENOSPC EIO EINTR")},
		"ftruncate":  {false, true, true, list("EIO EINTR")},
		"flock":      {false, true, true, list("ENOLCK")},
	}
}

// stays reports whether a disk with an error has it again at once.
func stays(errno string) bool { return errno == "ENOSPC" || errno == "EROFS" || errno == "EIO" }

// errorsOf returns the errors that a call can really give.
func errorsOf(c call) []string {
	list := kinds()[c.name].errors
	if c.creates {
		list = append(slices.Clone(list), "ENOSPC", "EROFS")
	}
	return list
}

var everyError = flag.Bool("every", false, "let each call fail with each of its errors, as make faults does; else every third call with one of them, in turn")

// injuries returns all that an operation gets.
func (p *profile) injuries() (list []injury) {
	times, turn := map[string]int{}, 0
	for _, c := range p.calls {
		kind := kinds()[c.name]
		times[c.name]++
		if c.path == "/home/ends" {
			continue // the user's own command writes it
		}
		if !p.isEveryTime(c) {
			if !kind.ours {
				continue // a disk that is full stands for it
			}
			c.path, c.n = "", times[c.name]
		}
		if c.unlocks {
			continue
		}
		if kind.changes {
			list = append(list, injury{call: c.name, path: c.path, n: c.n})
		}
		errors := errorsOf(c)
		if n := len(errors); n > 0 && !*everyError {
			errors = errors[turn%n : turn%n+1]
			if turn++; turn%3 != 0 {
				errors = nil
			}
		}
		for _, e := range errors {
			if p.op.work && e == "EINTR" {
				continue // git, which is at work here too, does not make every call again
			}
			list = append(list, injury{call: c.name, path: c.path, n: c.n, errno: e})
			if stays(e) && c.n == 1 {
				list = append(list, injury{call: c.name, path: c.path, n: c.n, errno: e, always: true})
			}
		}
	}
	if every := p.op.sample; every > 0 {
		n := -1
		list = slices.DeleteFunc(list, func(injury) bool { n++; return n%every != 0 })
	}
	return list
}
