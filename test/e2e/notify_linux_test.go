package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// notified makes a desktop whose notifications are written down.
func (w *world) notified() {
	w.Helper()
	dir := filepath.Join(w.dir, "desktop")
	w.write(filepath.Join(dir, "notify-send"), "#!/bin/sh\necho \"$1|$2\" | tr '\\n' ' ' >>'"+w.shownFile()+"'\necho >>'"+w.shownFile()+"'\n")
	w.must(os.Chmod(filepath.Join(dir, "notify-send"), 0o755))
	w.extra = append(w.extra, "CURSOR_RALPH_NO_NOTIFY=", "DISPLAY=:none", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent",
		"PATH="+dir+":"+bin+":"+os.Getenv("PATH"))
	w.profileAdds("PATH='" + dir + "':$PATH") // which the login shell of a hook makes anew
}

func (w *world) shownFile() string { return filepath.Join(w.dir, "shown") }

// notifications are those that were shown, one a line.
func (w *world) notifications() []string {
	data, _ := os.ReadFile(w.shownFile()) // none yet
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

func (w *world) wantNotification(part string) {
	w.Helper()
	w.until("a notification with "+part, func() bool {
		all := w.notifications()
		return strings.Contains(all[len(all)-1], part)
	})
}

func TestNotifications(t *testing.T) {
	once(t, func(w *world) {
		w.notified()
		c := w.chat()
		c.starts(`"make it green" --max-iterations 2`)
		c.works()
		c.goesOn()
		c.says(done)
		c.concludes()
		w.wantNotification("Ralph loop in repo|Promise accepted after 2 iterations.")
		c.starts(`"make it blue"`)
		c.works()
		c.fails()
		w.wantNotification("|Paused after 0 iterations.")
		w.wantNotification("type /ralph-loop --continue " + c.ID)
		w.ok(w.repo(), "cancel", c.ID)
		if all := w.notifications(); len(all) != 2 {
			w.Errorf("got the notifications %q, want two: none for what the user did", all)
		}
	})
}

func TestNotificationsAtTheSessionLimit(t *testing.T) {
	once(t, func(w *world) {
		w.notified()
		w.installs = [][]string{{"--session-limit", "2", "--injectors", "none"}}
		w.install()
		w.troubles = []string{"typing is turned off"}
		c := w.chat()
		c.starts(`"make it green"`)
		c.works()
		c.goesOn()
		c.works()
		c.goesOn()
		w.wantNotification("|Waiting after 2 iterations.")
		c.rests()
		w.ok(w.repo(), "cancel", c.ID)
	})
}

// Each way to turn them off leaves one that is asked for by hand.
func TestNotificationsThatAreNotWanted(t *testing.T) {
	t.Parallel()
	for name, quiet := range map[string]func(w *world){
		"by a flag of install": func(w *world) { w.installs = [][]string{{"--no-notify"}}; w.install(); w.install() },
		"by a setting":         func(w *world) { w.settings("[notify]\nenabled = false\n") },
		"by a variable":        func(w *world) { w.extra = append(w.extra, "CURSOR_RALPH_NO_NOTIFY=1") },
	} {
		t.Run(name, func(t *testing.T) {
			once(t, func(w *world) {
				w.notified()
				quiet(w)
				c := w.chat()
				c.starts(`"make it green"`)
				c.works()
				c.says(done)
				c.rests()
				w.ok(w.repo(), "notify", c.ID)
				if all := w.notifications(); len(all) != 1 || !strings.Contains(all[0], "Promise accepted") {
					w.Errorf("got the notifications %q, want the one that was asked for", all)
				}
			})
		})
	}
}
