//go:build unix

package e2e_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/pem"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cursor-ralph/cursor-ralph/test/short"
)

// script runs install.sh of the repository, or another copy of it.
func (w *world) script(shell []string, path string, args ...string) (output string, exit int) {
	w.Helper()
	args = slices.Concat(shell[1:], []string{path}, args)
	cmd := exec.CommandContext(w.ctx, shell[0], args...)
	cmd.Dir, cmd.Env = w.repo(), append(w.env(), "PREFIX="+w.prefix())
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		w.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// prefix is odd on purpose.
func (w *world) prefix() string { return filepath.Join(w.home(), "it's a prefix") }

func (w *world) installScript() string {
	path, err := filepath.Abs("../../install.sh")
	w.must(err)
	return path
}

// outside is a machine on which none of our programs is on the PATH yet.
func outside(t *testing.T) *world {
	v := usual()
	v.hidden, v.installs = true, nil
	return bareWorld(t, v)
}

const releaseName = "cursor-ralph_1.2.3_"

// release writes an archive of the programs into a folder, with the checksums.
func (w *world) release(dir string) (archive string) {
	w.Helper()
	top := releaseName + runtime.GOOS + "_" + runtime.GOARCH
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	w.must(err)
	t := tar.NewWriter(z)
	for name, mode := range map[string]int64{"cursor-ralph": 0o755, "cursor-ralph-hook": 0o755} {
		data, err := os.ReadFile(filepath.Join(bin, name))
		w.must(err)
		w.must(t.WriteHeader(&tar.Header{Name: top + "/" + name, Mode: mode, Size: int64(len(data))}))
		_, err = t.Write(data)
		w.must(err)
	}
	const page = ".TH CURSOR-RALPH 1\n.SH NAME\ncursor-ralph\n"
	w.must(t.WriteHeader(&tar.Header{Name: top + "/share/man/man1/cursor-ralph.1", Mode: 0o644, Size: int64(len(page))}))
	_, err = t.Write([]byte(page))
	w.must(err)
	w.must(t.Close())
	w.must(z.Close())
	archive = filepath.Join(dir, top+".tar.gz")
	w.write(archive, b.String())
	w.write(filepath.Join(dir, "checksums.txt"), fmt.Sprintf("%x  another.zip\n%x  %s\n", sha256.Sum256(nil), sha256.Sum256(b.Bytes()), filepath.Base(archive)))
	return archive
}

// shells are those that a #!/bin/sh may be.
func (w *world) shells() [][]string {
	list := [][]string{{"sh"}, {"bash", "--posix"}}
	if path, err := exec.LookPath("busybox"); err == nil {
		return append(list, []string{path, "sh"})
	}
	if os.Getenv("CI") != "" && runtime.GOOS == "linux" {
		w.Error("busybox is missing")
	}
	return list
}

func (w *world) wantLoop() {
	w.Helper()
	c := w.chat()
	c.starts(`"make it green"`)
	c.plays(1)
	c.works()
	c.isAccepted(done, 2)
}

func TestInstallShUnpacksAReleaseAndALoopRuns(t *testing.T) {
	t.Parallel()
	w := outside(t)
	archive := w.release(w.workspace("down loads"))
	before := w.tree(w.home())
	for _, shell := range short.First(w.shells(), 1) {
		for _, what := range []string{"first", "again"} {
			out, exit := w.script(shell, w.installScript(), "--archive", archive)
			if exit != 0 {
				t.Fatalf("%s, %s: exit %d\n%s", shell, what, exit, out)
			}
			for _, want := range []string{filepath.Base(archive) + " is whole", "installed cursor-ralph", "put " + w.prefix() + "/bin on your PATH"} {
				w.wantPart(what, out, want)
			}
		}
		hooks, err := os.ReadFile(filepath.Join(w.home(), ".cursor", "hooks.json"))
		w.must(err)
		w.wantPart("hooks.json", string(hooks), "a prefix/bin/cursor-ralph-hook")
		if shell[0] == "sh" {
			w.wantLoop()
			w.must(os.RemoveAll(w.archive()))
		}
		if out, exit := w.script(shell, w.installScript(), "--uninstall"); exit != 0 {
			t.Fatalf("%s: uninstall: exit %d\n%s", shell, exit, out)
		}
		after := w.tree(w.home())
		for name := range after {
			if _, was := before[name]; !was && !strings.HasPrefix(name, "code/repo/") {
				t.Errorf("%s: left: %s", shell, name)
			}
		}
	}
}

// Whoever can write the programs' folder decides what Cursor runs: the script does not make it so under any umask, and where it
// has become so, nothing in it is run or installed.
func TestInstallShUnderALaxUmask(t *testing.T) {
	t.Parallel()
	w := outside(t)
	archive := w.release(w.workspace("downloads"))
	lax := []string{"sh", "-c", `umask 0; exec sh "$@"`, "sh"}
	if out, exit := w.script(lax, w.installScript(), "--archive", archive); exit != 0 {
		t.Fatalf("exit %d\n%s", exit, out)
	}
	w.must(filepath.WalkDir(w.prefix(), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o022 != 0 {
			t.Errorf("%s has the mode %o", path, info.Mode().Perm())
		}
		return err
	}))

	folder, ran := filepath.Join(w.prefix(), "bin"), filepath.Join(w.home(), "ran")
	w.must(os.Chmod(folder, 0o777)) // #nosec G302 -- as an installation under a umask of 0 left it
	hook := filepath.Join(folder, "cursor-ralph-hook")
	w.write(hook, "#!/bin/sh\ntouch '"+ran+"'\necho {}\n")
	w.must(os.Chmod(hook, 0o755)) // #nosec G302 -- a program
	for _, args := range [][]string{{"doctor"}, {"install"}} {
		cmd := exec.CommandContext(w.ctx, filepath.Join(folder, "cursor-ralph"), args...)
		cmd.Dir, cmd.Env = w.repo(), w.env()
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "other users can replace "+folder) {
			t.Errorf("%s: got %v, %s", args[0], err, out)
		}
	}
	if out, exit := w.script([]string{"sh"}, w.installScript(), "--archive", archive); exit == 0 || !strings.Contains(out, "everybody can write "+folder) {
		t.Errorf("again: got exit %d, %s", exit, out)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the replaced hook was run")
	}
}

func TestInstallShRefusesAndChangesNothing(t *testing.T) {
	t.Parallel()
	foreign := func(path string) func(*world) []string {
		return func(w *world) []string {
			w.write(filepath.Join(w.prefix(), path), "#!/bin/sh\necho mine\n")
			return []string{"--archive", w.release(w.workspace("downloads"))}
		}
	}
	cases := map[string]struct {
		prepare func(*world) []string
		want    string
	}{
		"a wrong checksum": {func(w *world) []string {
			archive := w.release(w.workspace("downloads"))
			file, err := os.OpenFile(archive, os.O_APPEND|os.O_WRONLY, 0)
			w.must(err)
			_, err = file.WriteString("x")
			w.must(err)
			w.must(file.Close())
			return []string{"--archive", archive}
		}, "is not what was released"},
		"no checksum of it": {func(w *world) []string {
			archive := w.release(w.workspace("downloads"))
			w.must(os.Rename(archive, archive+".renamed.tar.gz"))
			return []string{"--archive", archive + ".renamed.tar.gz"}
		}, "has no checksum of"},
		"no archive": {func(w *world) []string {
			path := filepath.Join(w.repo(), "a.tar.gz")
			w.write(path, "text")
			return []string{"--archive", path}
		}, "cannot be unpacked"},
		"a missing file":      {func(*world) []string { return []string{"--archive", "/no/such.tar.gz"} }, "is no file"},
		"another's program":   {foreign("bin/cursor-ralph"), "is there and not ours; nothing was changed"},
		"another's page":      {foreign("share/man/man1/cursor-ralph.1"), "is there and not ours; nothing was changed"},
		"an unknown option":   {func(*world) []string { return []string{"--frob"} }, "unknown option --frob"},
		"a missing value":     {func(*world) []string { return []string{"--archive"} }, "--archive needs a value"},
		"two sources":         {func(*world) []string { return []string{"--download", "--archive", "x"} }, "exclude each other"},
		"nothing to take out": {func(*world) []string { return []string{"--uninstall"} }, "nothing was installed by this script"},
		"a link": {func(w *world) []string {
			w.write(filepath.Join(w.home(), "other"), "cursor-ralph\n")
			w.must(os.MkdirAll(filepath.Join(w.prefix(), "bin"), 0o755))
			w.must(os.Symlink(filepath.Join(w.home(), "other"), filepath.Join(w.prefix(), "bin", "cursor-ralph")))
			return []string{"--archive", w.release(w.workspace("downloads"))}
		}, "is there and not ours; nothing was changed"},
	}
	for _, name := range short.Keys(cases, 4) {
		tt := cases[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := outside(t)
			args := tt.prepare(w)
			before := w.tree(w.home())
			out, exit := w.script([]string{"sh"}, w.installScript(), args...)
			if exit == 0 || !strings.Contains(out, tt.want) {
				t.Errorf("got exit %d, %q, want %q", exit, out, tt.want)
			}
			if after := w.tree(w.home()); len(after) != len(before) {
				t.Errorf("got %d files, want the %d that there were", len(after), len(before))
			}
		})
	}
}

func TestInstallShDownloadsSaysSoAndVerifies(t *testing.T) {
	short.Skip(t)
	t.Parallel()
	w := outside(t)
	served := t.TempDir()
	archive := w.release(served)
	mux := http.NewServeMux()
	mux.Handle("/latest/download/", http.StripPrefix("/latest/download/", http.FileServer(http.Dir(served))))
	mux.Handle("/download/v1.2.3/", http.StripPrefix("/download/v1.2.3/", http.FileServer(http.Dir(served))))
	server := httptest.NewTLSServer(mux)
	defer server.Close()
	w.trusts(server)
	for _, args := range [][]string{{}, {"--version", "v1.2.3"}} {
		out, exit := w.script([]string{"sh"}, w.installScript(), append(args, "--download", "--url", server.URL)...)
		if exit != 0 {
			t.Fatalf("exit %d\n%s", exit, out)
		}
		for _, want := range []string{"downloading " + server.URL, "/checksums.txt\n", filepath.Base(archive) + "\n", "is whole", "does not prove who made it"} {
			w.wantPart("download", out, want)
		}
	}
	w.wantLoop()
	if out, exit := w.script([]string{"sh"}, w.installScript(), "--download", "--version", "9.9.9", "--url", server.URL); exit == 0 || !strings.Contains(out, "cannot be downloaded") {
		t.Errorf("a missing release: got exit %d, %q", exit, out)
	}
	plain := httptest.NewServer(mux)
	defer plain.Close()
	if out, exit := w.script([]string{"sh"}, w.installScript(), "--download", "--url", plain.URL); exit == 0 || !strings.Contains(out, "is not https") {
		t.Errorf("plain http: got exit %d, %q", exit, out)
	}
	w.write(archive, "something else")
	if out, exit := w.script([]string{"sh"}, w.installScript(), "--download", "--url", server.URL); exit == 0 || !strings.Contains(out, "is not what was released") {
		t.Errorf("a changed archive: got exit %d, %q", exit, out)
	}
}

// trusts has curl and wget accept the server's certificate.
func (w *world) trusts(server *httptest.Server) {
	w.Helper()
	file := filepath.Join(w.home(), "ca.pem")
	w.write(file, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	w.write(filepath.Join(w.home(), ".curlrc"), "cacert = \""+file+"\"\n")
	w.write(filepath.Join(w.home(), ".wgetrc"), "ca_certificate = "+file+"\n")
}

// piped runs a script from standard input in a folder, as `curl … | sh` does.
func (w *world) piped(shell []string, dir, script string, args ...string) (output string, exit int) {
	w.Helper()
	cmd := exec.CommandContext(w.ctx, shell[0], slices.Concat(shell[1:], []string{"-s", "--"}, args)...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, append(w.env(), "PREFIX="+w.prefix()), strings.NewReader(script)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		w.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func (w *world) scriptText() string {
	w.Helper()
	text, err := os.ReadFile(w.installScript())
	w.must(err)
	return string(text)
}

// cuts are the lengths after which text has whole commands, and each within its last line. Where the next line is
// indented, a command is open.
func cuts(text string) (list []int) {
	last := strings.LastIndex(strings.TrimSuffix(text, "\n"), "\n") + 1
	for n := range last {
		if text[n] == '\n' && !strings.ContainsRune(" #\n", rune(text[n+1])) {
			list = append(list, n+1)
		}
	}
	for n := last + 1; n < len(text)-1; n++ {
		list = append(list, n)
	}
	return list
}

func TestInstallShCutShortDoesNothing(t *testing.T) {
	t.Parallel()
	w := outside(t)
	archive := w.release(w.workspace("downloads"))
	text := w.scriptText()
	for i, n := range cuts(text) {
		if i%short.Times(8, 1) > 0 {
			continue
		}
		w.piped([]string{"sh"}, w.repo(), text[:n], "--archive", archive, "--no-cursor")
		if _, err := os.Stat(w.prefix()); err == nil {
			t.Fatalf("installed after %d of %d bytes, which end in %q", n, len(text), text[max(0, n-40):n])
		}
	}
	if out, exit := w.piped([]string{"sh"}, w.repo(), text, "--archive", archive, "--no-cursor"); exit != 0 {
		t.Errorf("the whole script: got exit %d, %s", exit, out)
	}
}
