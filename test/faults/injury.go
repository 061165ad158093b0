//go:build linux && amd64

package main

import (
	"fmt"
	"slices"
	"syscall"
)

// injury is what is done to a process.
type injury struct {
	how   string // one of those below
	at    int    // which system call, from 1
	errno syscall.Errno
	call  string // the name of the first call that gives it
	dead  bool   // Go's runtime ends the process

	inherited bool // what it starts has it too
}

const (
	killAtAny    = "kill"          // before or after the n-th of all calls: odd ones are before
	killAtChange = "kill at write" // before the n-th call that changes one of our files
	failOnce     = "once"          // the n-th call about one of our files fails
	failAlways   = "from then on"  // that one, and all later ones that can give the error
	failHalf     = "half written"  // the n-th call is a write, half of which is done; the disk is full
)

// watch returns a watcher that does the injury, and reports whether it came to that.
func (i injury) watch(root []string) (w watcher, done func() bool) {
	all, ours, changing, hit := 0, 0, 0, false
	torn := ""
	step := func(kind string, n *int, counts bool) bool {
		if counts {
			*n++
		}
		strike := counts && i.how == kind && *n == i.at
		hit = hit || strike
		return strike
	}
	w.root = root
	w.enter = func(c *call) act {
		if step(killAtAny, &all, true) || step(killAtChange, &changing, c.ours && c.changes) {
			return act{kill: true}
		}
		if c.ours {
			ours++
		}
		switch {
		case !c.ours || c.number == syscall.SYS_CLOSE && i.how == failAlways:
		case i.how == failHalf && ours == i.at && c.number == syscall.SYS_WRITE:
			hit, torn = true, c.path
			return act{half: true}
		case i.how == failHalf && torn == c.path && c.number == syscall.SYS_WRITE:
			return act{errno: i.errno}
		case (i.how == failOnce && ours == i.at || i.how == failAlways && ours >= i.at) && c.canGive(i.errno):
			hit = true
			return act{errno: i.errno}
		}
		return act{}
	}
	w.leave = func(*call) act { return act{kill: step(killAtAny, &all, true)} }
	return w, func() bool { return hit }
}

func (i injury) String() string {
	if i.errno != 0 {
		return fmt.Sprintf("%s %s, our call %d", errorName(i.errno), i.how, i.at)
	}
	if i.at == 0 {
		return i.how
	}
	return fmt.Sprintf("%s %d", i.how, i.at)
}

// errorName is what manual pages call an error.
func errorName(e syscall.Errno) string {
	return map[syscall.Errno]string{
		syscall.ENOSPC: "ENOSPC", syscall.EDQUOT: "EDQUOT", syscall.EIO: "EIO", syscall.EINTR: "EINTR", syscall.EACCES: "EACCES",
		syscall.EROFS: "EROFS", syscall.ENOMEM: "ENOMEM", syscall.EMFILE: "EMFILE", syscall.ENFILE: "ENFILE", syscall.ENOLCK: "ENOLCK",
	}[e]
}

// injuries are all that an operation gets in the long form, or the most telling
// ones.
func (p *profile) injuries(short bool) (list []injury) {
	list = p.wounds(short)
	if !short {
		return list
	}
	if every := p.op.sample; every > 0 {
		n := -1
		list = slices.DeleteFunc(list, func(injury) bool { n++; return n%every != 0 })
	}
	for n := range p.op.spread {
		list = append(list, injury{how: killAtAny, at: 1 + n*p.stops/p.op.spread})
	}
	return list
}

func (p *profile) wounds(short bool) (list []injury) {
	if short {
		for n := range p.changing {
			list = append(list, injury{how: killAtChange, at: n + 1})
		}
	} else {
		for n := range p.stops + p.stops/10 { // as a runtime with threads makes not always as many
			list = append(list, injury{how: killAtAny, at: n + 1})
		}
	}
	seen := map[string]bool{}
	for n, c := range p.ours {
		first := !seen[c.name]
		seen[c.name] = true
		if short && !first {
			continue
		}
		for _, e := range c.possible {
			list = append(list, injury{how: failOnce, at: n + 1, errno: e, call: c.name})
			if e != syscall.EINTR && !short {
				list = append(list, injury{how: failAlways, at: n + 1, errno: e})
			}
		}
		if c.number == syscall.SYS_WRITE {
			list = append(list, injury{how: failHalf, at: n + 1, errno: syscall.ENOSPC})
		}
	}
	return list
}
