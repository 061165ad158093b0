//go:build unix && !darwin

package notify

import (
	"bufio"
	"os/exec"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
)

// desktop is a program that shows notifications.
type desktop struct{}

func (desktop) GetServerInformation() (name, vendor, version, spec string, err *dbus.Error) {
	return "shows", "nobody", "1.2", "1.2", nil
}

func TestProbeAsksTheSessionBus(t *testing.T) {
	if _, err := exec.LookPath("kdialog"); err == nil {
		t.Skip("kdialog shows notifications here")
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+t.TempDir()+"/none")
	if by, err := probe(t.Context()); err == nil {
		t.Errorf("got %q, want an error without a bus", by)
	}
	address := bus(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", address)
	if by, err := probe(t.Context()); err == nil || !strings.Contains(err.Error(), "no program on the session bus shows notifications") {
		t.Errorf("got %q, %v, want an error without a program that shows them", by, err)
	}
	conn, err := dbus.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Export(desktop{}, "/org/freedesktop/Notifications", service); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName(service, dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	if by, err := probe(t.Context()); by != "shows 1.2" || err != nil {
		t.Errorf("got %q, %v", by, err)
	}
}

// bus starts a session bus of its own, which starts no services.
func bus(t *testing.T) (address string) {
	t.Helper()
	config := `--config-file=testdata/bus.conf`
	cmd := exec.Command("dbus-daemon", config, "--nofork", "--print-address", "--address=unix:dir="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}
