package sources

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

const module = "github.com/cursor-ralph/cursor-ralph/"

// built names the folder of programs that scripts/test built for all packages.
const built = "CURSOR_RALPH_BUILT"

// Programs puts programs, such as cmd/cursor-ralph, into a folder, as they are
// released, except that the hook does not stay after its answers. It copies those that scripts/test built, and builds them otherwise.
func Programs(dir string, packages ...string) error {
	if from := os.Getenv(built); from != "" {
		for _, p := range packages {
			if err := copyProgram(from, dir, filepath.Base(p)); err != nil {
				return err
			}
		}
		return nil
	}
	return build(dir, "-s -w -X main.linger=0s", packages...)
}

// Released puts programs into a folder that are in all as they are released.
func Released(dir string, packages ...string) error { return build(dir, "-s -w", packages...) }

func build(dir, ldflags string, packages ...string) error {
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", ldflags, "-o", dir + string(filepath.Separator)}
	for _, p := range packages {
		args = append(args, module+p)
	}
	cmd := exec.Command("go", args...) // #nosec G204 -- our own packages
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the programs: %w\n%s", err, out)
	}
	return nil
}

// Main runs the tests of a package with programs in a folder, which is bin then. The end of
// the folder's name is the caller's. Other users may run the programs too.
func Main(m *testing.M, bin *string, name string, packages ...string) int {
	dir, err := os.MkdirTemp("", "cursor-ralph-"+name)
	if err == nil {
		defer os.RemoveAll(dir)                                        // what is left is in the temporary folder
		err = cmp.Or(os.Chmod(dir, 0o755), Programs(dir, packages...)) // #nosec G302 -- programs
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	*bin = dir
	return m.Run()
}

// WriteProgram writes a program that a test is about to start. While it is open for writing nothing of this process forks: a child of
// another test would hold the open file for a moment, in which the program cannot be started ("text file busy").
func WriteProgram(path string, data []byte, mode os.FileMode) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, data, mode)
}

// copyProgram has cp write where there is one: a program that this process has open for writing cannot be started while a child
// that another test has just forked still holds the file ("text file busy").
func copyProgram(from, to, name string) error {
	if runtime.GOOS != "windows" {
		return exec.Command("cp", filepath.Join(from, name), to).Run() // #nosec G204 G702 -- our own programs
	}
	in, err := os.Open(filepath.Join(from, name+".exe")) // #nosec G703 -- the folder that scripts/test built
	if err != nil {
		return err
	}
	defer in.Close()                                                                                  // only read from
	out, err := os.OpenFile(filepath.Join(to, name+".exe"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755) // #nosec G302 -- a program
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return cmp.Or(err, out.Close())
}
