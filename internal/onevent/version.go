package onevent

import "runtime/debug"

// Version returns the release, otherwise what Go knows: the version of the module after go install, one that contains the commit
// in a clone.
func Version(release string) string {
	info, _ := debug.ReadBuildInfo()
	return VersionOf(release, info)
}

// VersionOf is Version of a program with this build information, which may be nil.
func VersionOf(release string, info *debug.BuildInfo) string {
	switch {
	case release != "":
		return release
	case info == nil:
		return "of unknown origin"
	case info.Main.Version != "" && info.Main.Version != "(devel)":
		return info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "at commit " + s.Value
		}
	}
	return "(devel)"
}
