package hostile_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// Where the users of these tests live. It is mounted for this process and its
// children alone, and so is the /tmp that they share.
const (
	grounds = "/mnt"
	shared  = "/tmp"
	inside  = "CURSOR_RALPH_HOSTILE_TEST" // is set in a process that has them
)

// apart runs the tests once more, where they have mounts of their own. Only root
// can do that; without it the tests of two users are skipped.
func apart() (code int, done bool) {
	if os.Geteuid() != 0 || os.Getenv(inside) != "" {
		return 0, false
	}
	// The list of files that were read lies in a folder that is out of sight there.
	args := slices.DeleteFunc(slices.Clone(os.Args[1:]), func(arg string) bool { return strings.HasPrefix(arg, "-test.testlogfile") })
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Env = append(os.Environ(), inside+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL}
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode(), true
	}
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) { // the second in a chroot, whose root is no mount
		return 0, false
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1, true
	}
	return 0, true
}

// furnish mounts what the users live in, and moves the programs there: the folder
// in which they were built gets out of sight. The times at which files were read
// are kept there, so that a test sees what was.
func furnish() error {
	if os.Getenv(inside) == "" {
		return nil
	}
	programs, err := os.ReadDir(bin)
	if err != nil {
		return err
	}
	if err := syscall.Mount("tmpfs", grounds, "tmpfs", syscall.MS_STRICTATIME|syscall.MS_NOSUID, "mode=755"); err != nil {
		return fmt.Errorf("mount %s: %w", grounds, err)
	}
	from := bin
	bin = filepath.Join(grounds, "bin")
	for _, dir := range []string{bin, filepath.Join(grounds, "scratch")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
	}
	for _, p := range programs {
		if err := copyProgram(filepath.Join(from, p.Name()), filepath.Join(bin, p.Name())); err != nil {
			return err
		}
	}
	if err := errors.Join(copyProgram("/proc/self/exe", filepath.Join(bin, "attacker")), os.RemoveAll(from)); err != nil {
		return err
	}
	if err := os.Setenv("TMPDIR", filepath.Join(grounds, "scratch")); err != nil {
		return err
	}
	// The same disk as the homes: a file can have a name here and one there.
	tmp := filepath.Join(grounds, shared)
	err = errors.Join(os.Mkdir(tmp, 0o777), os.Chmod(tmp, 0o777|os.ModeSticky), syscall.Mount(tmp, shared, "", syscall.MS_BIND, ""))
	if err != nil {
		return fmt.Errorf("mount %s: %w", shared, err)
	}
	return nil
}

func copyProgram(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o755)
}

func needsUsers(t *testing.T) {
	t.Helper()
	if os.Getenv(inside) == "" {
		t.Skip("needs root, and the right to mount")
	}
}
