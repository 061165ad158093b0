package testdesk

import "syscall"

// diesWithUs has the kernel kill a program when this process ends.
func diesWithUs(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
