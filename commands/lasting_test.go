package commands

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVersioned(t *testing.T) {
	for path, want := range map[string]bool{
		"/opt/homebrew/Caskroom/cursor-ralph/1.2.3/cursor-ralph-hook":                        true,
		"/usr/local/Caskroom/cursor-ralph/1.2.3-beta.1,45/cursor-ralph-hook":                 true,
		"/home/linuxbrew/.linuxbrew/Cellar/cursor-ralph/HEAD-abc/bin/cursor-ralph-hook":      true,
		"/home/me/.local/share/mise/installs/cursor-ralph/1.2.3/cursor-ralph-hook":           true,
		"/home/me/.local/share/mise/installs/cursor-ralph/latest/cursor-ralph-hook":          false,
		"/home/me/.asdf/installs/cursor-ralph/v1.2.3/bin/cursor-ralph-hook":                  true,
		"/nix/store/0c8xkfhl9i8v2h4x-cursor-ralph-1.2.3/bin/cursor-ralph-hook":               true,
		`C:\Users\me\scoop\apps\cursor-ralph\1.2.3\cursor-ralph-hook.exe`:                    true,
		`C:\Users\me\scoop\apps\cursor-ralph\current\cursor-ralph-hook.exe`:                  false,
		"/home/me/.local/share/aquaproj-aqua/pkgs/github.com/x/y/v1.2.3/x/cursor-ralph-hook": true,
		"/usr/bin/cursor-ralph-hook":                                            false,
		"/home/me/.local/bin/cursor-ralph-hook":                                 false,
		"/opt/homebrew/bin/cursor-ralph-hook":                                   false,
		"/run/current-system/sw/bin/cursor-ralph-hook":                          false,
		"/home/me/go/bin/cursor-ralph-hook":                                     false,
		"/home/me/src/2026-10/installs/a/b/cursor-ralph-hook":                   false,
		`C:\Users\me\AppData\Local\Programs\cursor-ralph\cursor-ralph-hook.exe`: false,
		"cursor-ralph-hook":                                                     false,
	} {
		if got := Versioned(path); got != want {
			t.Errorf("%s: got %v", path, got)
		}
	}
}

func TestLasting(t *testing.T) {
	for _, tt := range []struct {
		path         string
		links, shims []string
	}{
		{"/opt/homebrew/Caskroom/cursor-ralph/1.2.3/cursor-ralph-hook",
			[]string{"/opt/homebrew/bin/cursor-ralph-hook", "/opt/homebrew/opt/cursor-ralph/bin/cursor-ralph-hook"}, nil},
		{"/home/me/.local/share/mise/installs/github-x-y/1.2.3/bin/cursor-ralph-hook",
			[]string{"/home/me/.local/share/mise/installs/github-x-y/latest/bin/cursor-ralph-hook"}, []string{"/home/me/.local/share/mise/shims/cursor-ralph-hook"}},
		{"/home/$1/.asdf/installs/cursor-ralph/1.2.3/bin/cursor-ralph-hook",
			[]string{"/home/$1/.asdf/installs/cursor-ralph/latest/bin/cursor-ralph-hook"}, []string{"/home/$1/.asdf/shims/cursor-ralph-hook"}},
		{"/nix/store/0c8-cursor-ralph-1.2.3/bin/cursor-ralph-hook", []string{"/home/me/.nix-profile/bin/cursor-ralph-hook",
			"/home/me/.local/state/nix/profile/bin/cursor-ralph-hook", "/etc/profiles/per-user/me/bin/cursor-ralph-hook",
			"/run/current-system/sw/bin/cursor-ralph-hook", "/nix/var/nix/profiles/default/bin/cursor-ralph-hook"}, nil},
		{`C:\Users\me\scoop\apps\cursor-ralph\1.2.3\cursor-ralph-hook.exe`,
			[]string{`C:\Users\me\scoop\apps\cursor-ralph\current\cursor-ralph-hook.exe`}, []string{`C:\Users\me\scoop\shims\cursor-ralph-hook.exe`}},
		{"/home/me/.local/share/cursor-ralph/editor/1.2.3-0123456789ab/bin/cursor-ralph-hook",
			[]string{"/home/me/.local/share/cursor-ralph/editor/current/bin/cursor-ralph-hook"}, nil},
		{`C:\Users\me\AppData\Local\cursor-ralph\editor\1.2.3-0123456789ab\bin\cursor-ralph-hook.exe`,
			[]string{`C:\Users\me\AppData\Local\cursor-ralph\editor\current\bin\cursor-ralph-hook.exe`}, nil},
		{"/usr/bin/cursor-ralph-hook", nil, nil},
	} {
		links, shims := Lasting(tt.path, "/home/me", "me")
		if diff := cmp.Diff(tt.links, links) + cmp.Diff(tt.shims, shims); diff != "" {
			t.Errorf("%s: %s", tt.path, diff)
		}
	}
}
