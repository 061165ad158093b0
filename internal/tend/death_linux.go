package tend

import "syscall"

// untilDeath has the kernel kill the program when the keeper is killed, which can
// end nothing then.
func untilDeath() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
