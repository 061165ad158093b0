//go:build linux && amd64

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// survey tries all operations, and tells on the way where it is.
func survey(s settings, progress io.Writer) (r report, err error) {
	start := time.Now()
	folder, err := os.MkdirTemp(s.folder(), "cursor-ralph-faults-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	p, err := build(folder)
	if err != nil {
		return r, err
	}
	r = report{head: s.head(start), short: s.short}
	list := slices.DeleteFunc(operations(), func(op operation) bool { return !strings.Contains(op.name, s.only) })
	for n, op := range list {
		fmt.Fprintf(progress, "faults: %d of %d: %s", n+1, len(list), op.name)
		learned, err := learn(op, p, fmt.Sprintf("%s/op-%d", folder, n))
		if err != nil {
			return r, err
		}
		row, err := learned.suffer(s, filepath.Join(folder, fmt.Sprint("try-", n)))
		if err != nil {
			return r, err
		}
		r.rows = append(r.rows, row)
		fmt.Fprintf(progress, ": %d kills, %d other injuries, %d violations\n", row.kills, row.once+row.always+row.halves+row.real, len(row.violations))
	}
	r.took = fmt.Sprintf("It took %.0f s.", time.Since(start).Seconds())
	return r, nil
}

// head tells when and where it was tried, and how much of it.
func (s settings) head(at time.Time) string {
	form, disks, where := "every call", "", "on a disk"
	if s.short {
		form = "the short form"
	}
	if !s.mounts {
		disks = ", without disks that only root can mount"
	}
	if isMemory(s.folder()) {
		where = "in memory"
	}
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease") // a line that says less is no harm
	return fmt.Sprintf("%s, Linux %s, %s, %d processors, files %s; %s%s.", at.Format("2 January 2006"),
		strings.TrimSpace(string(kernel)), runtime.GOARCH, runtime.NumCPU(), where, form, disks)
}

// suffer does every injury to an operation, each in a copy of its world.
func (p *profile) suffer(s settings, folder string) (row, error) {
	result := row{name: p.op.name, calls: p.stops / 2, ours: len(p.ours), byError: map[string]int{}, gave: map[string][]string{}}
	var lock sync.Mutex
	var failed error
	jobs := make(chan try)
	var group sync.WaitGroup
	for n := range runtime.NumCPU() {
		group.Go(func() {
			for job := range jobs {
				wrong, hit, err := job.do(fmt.Sprintf("%s-%d", folder, n))
				lock.Lock()
				failed = cmp.Or(failed, err)
				result.count(job.injury, hit, wrong)
				lock.Unlock()
			}
		})
	}
	for _, job := range p.tries(s) {
		jobs <- job
	}
	close(jobs)
	group.Wait()
	result.violations = append(result.violations, result.tooLittle()...)
	return result, failed
}

// try is one injury, done in a folder. With hit it came to that.
type try struct {
	injury
	do func(folder string) (wrong []string, hit bool, err error)
}

func (p *profile) tries(s settings) (list []try) {
	for _, i := range p.injuries(s.short) {
		list = append(list, try{i, func(folder string) ([]string, bool, error) { return p.hurt(i, folder) }})
	}
	real := conditions(s.short)
	if p.op.checks {
		real = append(real, whileChecking)
	}
	for _, c := range real {
		if c.mount && !s.mounts {
			continue
		}
		list = append(list, try{injury{how: c.name}, func(folder string) ([]string, bool, error) {
			wrong, err := p.under(c, folder)
			return wrong, true, err
		}})
	}
	return list
}

// hurt runs the operation with an injury, and checks what came of it.
func (p *profile) hurt(i injury, folder string) (wrong []string, hit bool, err error) {
	defer os.RemoveAll(folder)
	w, err := p.world.copy(folder)
	if err != nil {
		return nil, false, err
	}
	watch, done := i.watch(w.roots())
	o, err := watch.trace(p.op.run(w))
	if err != nil {
		return nil, false, err
	}
	return p.check(w, i, o), done(), nil
}

// count adds a try to what came of an operation.
func (r *row) count(i injury, hit bool, wrong []string) {
	for _, w := range wrong {
		r.violations = append(r.violations, i.String()+": "+w)
	}
	if !hit {
		return
	}
	switch i.how {
	case killAtAny, killAtChange:
		r.kills++
	case failOnce:
		r.once++
	case failAlways:
		r.always++
	case failHalf:
		r.halves++
	default:
		r.real++
	}
	if i.errno != 0 {
		r.byError[errorName(i.errno)]++
	}
	if i.call != "" && !slices.Contains(r.gave[i.call], errorName(i.errno)) {
		r.gave[i.call] = append(r.gave[i.call], errorName(i.errno))
	}
}

// tooLittle complains of an operation to which so little was done that nothing is
// shown.
func (r row) tooLittle() []string {
	if r.kills > 0 && r.once >= 10 && r.real >= 8 {
		return nil
	}
	return []string{fmt.Sprintf("too little was tried: %d kills, %d errors, %d conditions", r.kills, r.once, r.real)}
}

// folder is where it is tried: in memory, where that is possible, for a kill is
// no loss of power and needs no disk.
func (s settings) folder() string {
	if isMemory("/dev/shm") {
		return "/dev/shm"
	}
	return os.TempDir()
}

func isMemory(folder string) bool {
	const tmpfs = 0x01021994
	var s syscall.Statfs_t
	return syscall.Statfs(folder, &s) == nil && s.Type == tmpfs
}
