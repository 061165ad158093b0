package commands

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// managers are the package managers that keep each version in a folder of its own. The link outlives an upgrade, the folder does
// not. A link is preferred to a shim: a shim starts the manager first, and runs only where a version is active.
var managers = []struct {
	folder       *regexp.Regexp // of one version, and the rest of the path
	sure         bool           // such a path is never anything else, whatever the version looks like
	links, shims []string       // of the program, by the groups of folder and by NAME
}{
	// Homebrew: https://docs.brew.sh/Formula-Cookbook#homebrew-terminology
	{regexp.MustCompile(`^(.*)/(?:Caskroom|Cellar)/([^/]+)/[^/]+/.+$`), true, []string{"$1/bin/NAME", "$1/opt/$2/bin/NAME"}, nil},
	// mise has a link to the newest version beside the others, and asdf has shims alone: https://mise.jdx.dev,
	// https://asdf-vm.com
	{regexp.MustCompile(`^(.*)/installs/([^/]+)/[^/]+/(.+)$`), false, []string{"$1/installs/$2/latest/$3"}, []string{"$1/shims/NAME"}},
	// Nix: the profiles of a user, of the machine, and of NixOS.
	{regexp.MustCompile(`^.*/nix/store/[^/]+/.+$`), true, []string{"HOME/.nix-profile/bin/NAME", "HOME/.local/state/nix/profile/bin/NAME",
		"/etc/profiles/per-user/USER/bin/NAME", "/run/current-system/sw/bin/NAME", "/nix/var/nix/profiles/default/bin/NAME"}, nil},
	// Scoop: https://github.com/ScoopInstaller/Scoop/wiki/The-Current-Version
	{regexp.MustCompile(`(?i)^(.*)/apps/([^/]+)/[^/]+/(.+)$`), false, []string{"$1/apps/$2/current/$3"}, []string{"$1/shims/NAME"}},
	// Our editor extension: extension/src/place.ts.
	{regexp.MustCompile(`^(.*/cursor-ralph/editor)/[^/]+/(.+)$`), false, []string{"$1/current/$2"}, nil},
}

// Versioned reports whether a path has a folder of one version in it, which an upgrade is likely to remove.
func Versioned(program string) bool {
	folders := strings.Split(path.Dir(slashes(program)), "/")
	if slices.Contains(folders, "latest") || slices.Contains(folders, "current") {
		return false
	}
	number := regexp.MustCompile(`^v?\d+\.\d+[\w.+-]*$`)
	i := managed(program)
	return slices.ContainsFunc(folders, number.MatchString) || i >= 0 && managers[i].sure
}

// Lasting names the places where the package manager of a versioned path keeps a link to the program, or a shim that runs it, the
// best first. Whether they are there, and lead to the same program, is for the caller to see.
func Lasting(program, home, user string) (links, shims []string) {
	i := managed(program)
	if i < 0 {
		return nil, nil
	}
	clean := slashes(program)
	fill := strings.NewReplacer("NAME", path.Base(clean), "HOME", slashes(home), "USER", user)
	match := managers[i].folder.FindStringSubmatchIndex(clean)
	expand := func(templates []string) (paths []string) {
		for _, t := range templates {
			p := fill.Replace(string(managers[i].folder.ExpandString(nil, t, clean, match)))
			if clean != program { // as Windows writes it
				p = strings.ReplaceAll(p, "/", `\`)
			}
			paths = append(paths, p)
		}
		return paths
	}
	return expand(managers[i].links), expand(managers[i].shims)
}

// managed is the index of the manager that has a path, or -1.
func managed(program string) int {
	for i, m := range managers {
		if m.folder.MatchString(slashes(program)) {
			return i
		}
	}
	return -1
}

// slashes writes a path of Windows with slashes.
func slashes(program string) string {
	if strings.HasPrefix(program, "/") {
		return program
	}
	return strings.ReplaceAll(program, `\`, "/")
}
