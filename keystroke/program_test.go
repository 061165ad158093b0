package keystroke

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"
)

// strays is what thefts of the focus have led to.
type strays struct {
	delivered, refused, keys, returns int
	text                              []string // in the other window: there must be none
}

// A program can lose the focus between the check and its key. What strays then
// is the key: never a character of the line, for nobody else is given it.
func TestProgramsWhenTheFocusIsStolen(t *testing.T) {
	r := furnish(t, startX11(t, noIdle()...))
	r.m.Robotgo = buildRobotgo(t)
	names := []string{"robotgo", "xdotool"}
	if lab() {
		names = append(names, "xtest") // to compare; it has a test of its own
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			injectors, err := Injectors(r.m, []string{name})
			must(t, err)
			for _, by := range []struct {
				name  string
				steal func() error
			}{
				{"activating another window", func() error { return r.x.AskActivation(r.other.Window()) }},
				{"setting the input focus", r.other.Focus},
			} {
				var s strays
				n := tries(12, 300)
				chance := rand.New(rand.NewPCG(1, uint64(len(name))))
				for range n {
					r.stolen(t, injectors[0], by.steal, time.Duration(chance.IntN(120))*time.Millisecond, &s)
				}
				t.Logf("lab: | %s, %s | %d | %d | %d | %d | %d |", name, by.name, n, s.delivered, s.returns, s.keys, len(s.text))
				if len(s.text) > 0 {
					t.Errorf("the other window got %q", s.text)
				}
				if s.delivered+s.refused != n {
					t.Errorf("%d delivered and %d refused of %d", s.delivered, s.refused, n)
				}
			}
		})
	}
}

// stolen types once while the focus is taken after some time.
func (r *x11Room) stolen(t *testing.T, i Injector, steal func() error, after time.Duration, s *strays) {
	t.Helper()
	r.t = t
	r.fresh()
	must(t, r.x.Copy(patient(t), ""))
	ctx, cancel := context.WithTimeout(patient(t), 250*time.Millisecond)
	defer cancel()
	thief := make(chan error, 1)
	time.AfterFunc(after, func() { thief <- steal() })
	err := i.Type(ctx, r.target(&steps{}))
	must(t, <-thief)
	must(t, r.other.Sync(patient(t)))
	state, err2 := r.page.State(patient(t))
	must(t, err2)
	s.text = append(s.text, r.other.Pasted()...)
	for _, k := range r.other.Keys() {
		switch {
		case !k.Down:
		case k.Sym == symReturn:
			s.returns++
		case k.Sym == symInsert || slices.Contains(heldSyms, xproto.Keysym(k.Sym)):
			s.keys++
		default:
			s.text = append(s.text, fmt.Sprintf("key %#x", k.Sym))
		}
	}
	got := r.page.Messages()
	switch {
	case err == nil && reflect.DeepEqual(got, []string{testLine}):
		s.delivered++
	case err != nil && (len(got) == 0 && (state.Draft == "" || state.Draft == testLine) || reflect.DeepEqual(got, []string{testLine})):
		s.refused++
	default:
		t.Errorf("stolen after %s: error %v, messages %q, draft %q", after, err, got, state.Draft)
	}
}

// fakeProgram is a program made of a shell script.
func fakeProgram(t *testing.T, script string) string {
	t.Helper()
	needs(t, "sh")
	path := filepath.Join(t.TempDir(), "program")
	must(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	return path
}

func TestRobotgoThatDoesNotWorkIsPassedOver(t *testing.T) {
	for _, tt := range []struct{ name, script, want string }{
		{"it was built without cgo", `echo "this build has no robotgo in it" >&2; exit 3`, "no robotgo in it"},
		{"it crashes", `kill -SEGV $$`, "segmentation fault"},
		{"it hangs", `exec sleep 60`, "no answer in 3s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := Machine{OS: "linux", Robotgo: fakeProgram(t, tt.script), Env: []string{"PATH=/usr/bin:/bin"}}
			unfit(t, newRobotgo(m), tt.want)
		})
	}
	unfit(t, newRobotgo(Machine{OS: "linux"}), "not installed")
}

// unfit wants a Probe that tells why in time.
func unfit(t *testing.T, i Injector, want string) {
	t.Helper()
	began := time.Now()
	err := Probe(t.Context(), i, Target{Line: testLine, Editors: []string{"chromium"}})
	took := time.Since(began)
	hung := want == "no answer in 3s" && errors.Is(err, context.DeadlineExceeded)
	if err == nil || !strings.Contains(err.Error(), want) && !hung || took > probeWait+time.Second {
		t.Errorf("%s: got %v after %s, want %q", i.Name(), err, took, want)
	}
}

func TestRobotgoWithoutItsLibraries(t *testing.T) {
	path := buildRobotgo(t)
	program, err := os.ReadFile(path)
	must(t, err)
	library := []byte("libXtst.so.6\x00")
	if !bytes.Contains(program, library) {
		t.Fatal("it does not load libXtst.so.6")
	}
	must(t, os.WriteFile(path, bytes.Replace(program, library, []byte("libXtst.so.7\x00"), 1), 0o700))
	unfit(t, newRobotgo(Machine{OS: "linux", Robotgo: path, Env: []string{"PATH=/usr/bin:/bin"}}), "libXtst.so.7")
}

// The ways by programs do not even start one where there is no display, and
// take no other display for it.
func TestProgramsWithoutADisplay(t *testing.T) {
	hung, living := startX11(t), startX11(t)
	must(t, hung.Stop())
	t.Cleanup(func() { must(t, hung.Continue()) })
	t.Setenv("DISPLAY", living.Display())
	robotgo := buildRobotgo(t)
	for _, tt := range []struct {
		name, want string
		env        []string
	}{
		{"unset", "DISPLAY is not set", nil},
		{"dead", "display :987: ", []string{"DISPLAY=:987"}},
		{"hung", "no answer", hung.Env()},
		{"without the editor", "no window of Cursor", living.Env()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := Machine{OS: "linux", Robotgo: robotgo, Env: append([]string{"PATH=/usr/bin:/bin"}, tt.env...)}
			for _, i := range []Injector{newRobotgo(m), newXdotool(m)} {
				unfit(t, i, tt.want)
				if err := i.Type(t.Context(), Target{Line: testLine}); err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("%s: got %v, want %q", i.Name(), err, tt.want)
				}
			}
		})
	}
	unfit(t, newXdotool(Machine{OS: "linux", Env: []string{"PATH=" + t.TempDir()}}), "xdotool is not installed")
}

// A program is killed when it takes too long, and presses nothing without a word.
func TestPoisedProgram(t *testing.T) {
	const pressed = `read word && echo $word >"$OUT"`
	for _, tt := range []struct {
		name, script string
		drop         bool
		ready        string // the error of getting ready
		press        string // the error of pressing
		out          string
	}{
		{name: "presses", script: "echo ready; " + pressed, out: "go\n"},
		{name: "is dropped", script: "echo ready; " + pressed, drop: true},
		{name: "never gets ready", script: "exec sleep 60", ready: "deadline"},
		{name: "ends before it is ready", script: "echo no display >&2; exit 3", ready: "no display"},
		{name: "hangs while pressing", script: "echo ready; " + pressed + "; exec sleep 60", press: "deadline", out: "go\n"},
		{name: "crashes while pressing", script: "echo ready; " + pressed + "; kill -SEGV $$", press: "segmentation fault", out: "go\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "out")
			m := Machine{Env: []string{"PATH=/usr/bin:/bin", "OUT=" + out}}
			began := time.Now()
			press, drop, err := m.poise(fakeProgram(t, tt.script), nil, "", "go\n")
			told(t, err, tt.ready)
			if err == nil && !tt.drop {
				told(t, press(), tt.press)
			}
			if err == nil {
				drop()
			}
			if took := time.Since(began); took > programWait+time.Second {
				t.Errorf("took %s", took)
			}
			if got, _ := os.ReadFile(out); string(got) != tt.out {
				t.Errorf("pressed %q, want %q", got, tt.out)
			}
		})
	}
}

// told wants an error with some words in it, or none.
func told(t *testing.T, err error, words string) {
	t.Helper()
	if (err != nil) != (words != "") || err != nil && !strings.Contains(err.Error(), words) {
		t.Errorf("got %v, want %q", err, words)
	}
}

// A key that a program leaves down, because it crashed, is released.
func TestKeysLeftDownAreReleased(t *testing.T) {
	r := furnish(t, startX11(t, noIdle()...))
	r.fresh()
	x, err := openX11(patient(t), r.m)
	must(t, err)
	defer x.close()
	p, err := x.pressing(patient(t), pasteChord)
	must(t, err)
	r.xdotool("keydown", "shift", "keydown", "Insert")
	if down, err := r.x.Down(); len(down) != 2 || err != nil {
		t.Fatalf("down: %v, %v", down, err)
	}
	crash := errors.New("crash")
	if err := x.clean(p, crash); !errors.Is(err, crash) {
		t.Errorf("got %v, want the crash", err)
	}
	r.untouched()
}

// A clipboard manager that takes the line away keeps the next key from being pressed.
func TestProgramsPressNothingWithoutTheClipboard(t *testing.T) {
	r := furnish(t, startX11(t, noIdle()...))
	r.m.Robotgo = buildRobotgo(t)
	for _, i := range []Injector{newRobotgo(r.m), newXdotool(r.m)} {
		r.fresh()
		asked := 0
		target := r.target(&steps{})
		target.Permit = func(ctx context.Context) error {
			if asked++; asked == 3 { // before the first key, the paste and Return
				return r.x.Copy(ctx, "a clipboard manager's")
			}
			return nil
		}
		if err := i.Type(patient(t), target); !errors.Is(err, errClipboardLost) || !errors.As(err, new(*SentError)) {
			t.Errorf("%s: got %v, want that the clipboard was lost after a key was sent", i.Name(), err)
		}
		s, err := r.page.State(patient(t))
		if len(r.page.Messages()) > 0 || s.Draft != testLine || err != nil {
			t.Errorf("%s: messages %q, draft %q, %v; want the draft alone", i.Name(), r.page.Messages(), s.Draft, err)
		}
		r.untouched()
	}
}

func TestHeldModifiersAreReleasedAndPutBack(t *testing.T) {
	p := pressing{
		strokes: strokes{key: 118, with: []xproto.Keycode{50}},
		held:    []xproto.Keycode{37, 108}, syms: []xproto.Keysym{symCtrl, symAlt + 1},
	}
	const script = "keyup 37\nkeyup 108\nkey --delay 0 50+118\nkeydown 37\nkeydown 108\n"
	if got := xdotoolScript(p); got != script {
		t.Errorf("got %q, want %q", got, script)
	}
	args, err := robotgoArgs(pasteChord, p)
	if got, want := strings.Join(args, " "), "up lctrl up ralt press shift+insert down lctrl down ralt"; got != want || err != nil {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	p.syms[1] = 0xfe03
	if args, err := robotgoArgs(pasteChord, p); err == nil || !strings.Contains(err.Error(), "108") {
		t.Errorf("with AltGr held: %q, %v; robotgo cannot release that", args, err)
	}
	for _, tt := range []struct {
		os    string
		chord Chord
		want  string
	}{
		{"darwin", pasteChord, "cmd+v"}, {"darwin", returnChord, "return"},
		{"windows", pasteChord, "shift+insert"}, {"windows", Chord{Ctrl: true, Key: "l"}, "ctrl+l"},
	} {
		want := "up shift up ctrl up alt up cmd press " + tt.want
		if got := strings.Join(blindArgs(tt.os, tt.chord), " "); got != want {
			t.Errorf("%s, %s: got %q, want %q", tt.os, tt.chord, got, want)
		}
	}
}

// fakeDesk is a desktop on which a window has the focus or not.
type fakeDesk struct {
	desk
	has bool
	err error
}

func (d *fakeDesk) focused(context.Context, window) (bool, error) { return d.has, d.err }

// Whether the window has the focus is asked last: after the program has got
// ready, which takes longest.
func TestProgramIsToldToPressOnlyWithTheFocus(t *testing.T) {
	odd := errors.New("odd")
	for _, tt := range []struct {
		name     string
		poise    error // of getting ready
		lose     bool  // the focus, while it gets ready
		focus    error // of asking for the focus
		press    error
		want     error
		pressed  bool
		keysSent bool // as far as is known
	}{
		{name: "all goes well", pressed: true, keysSent: true},
		{name: "it does not get ready", poise: odd, want: odd},
		{name: "the focus is lost meanwhile", lose: true, want: errLostFocus},
		{name: "the desktop does not answer", focus: odd, want: odd},
		{name: "it fails", press: odd, want: odd, pressed: true, keysSent: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := &fakeDesk{has: true, err: tt.focus}
			pressed, dropped := false, false
			err := programKeyboard{d, func(context.Context, Chord) (func() error, func(), error) {
				d.has = !tt.lose
				return func() error { pressed = true; return tt.press }, func() { dropped = true }, tt.poise
			}}.press(t.Context(), window{}, returnChord)
			if !errors.Is(err, tt.want) || pressed != tt.pressed || dropped != (tt.poise == nil) {
				t.Errorf("got %v, pressed %t, dropped %t; want %v, %t", err, pressed, dropped, tt.want, tt.pressed)
			}
			if sent := !errors.As(err, new(unpressed)) && !errors.Is(err, errLostFocus); sent != tt.keysSent {
				t.Errorf("%v tells that keys were sent: %t, want %t", err, sent, tt.keysSent)
			}
		})
	}
}

// A paste that strays while the line is on the clipboard pastes nothing.
func TestStrayPastePastesNothing(t *testing.T) {
	r := furnish(t, startX11(t, noIdle()...))
	r.m.Robotgo = buildRobotgo(t)
	for _, i := range []Injector{newRobotgo(r.m), newXdotool(r.m)} {
		r.fresh()
		asked := 0
		target := r.target(&steps{})
		target.Permit = func(ctx context.Context) error {
			if asked++; asked == 1 {
				return nil // before the line is on the clipboard
			}
			must(t, r.other.Focus())
			r.xdotool("key", "shift+Insert")
			must(t, r.other.Sync(ctx))
			return r.x.FocusWindow(r.window)
		}
		if err := i.Type(patient(t), target); err != nil {
			t.Errorf("%s: %v", i.Name(), err)
		}
		if got := r.other.Pasted(); len(got) > 0 {
			t.Errorf("%s: the other window got %q", i.Name(), got)
		}
		if got, want := len(r.other.Keys()), 4*(asked-1); got != want || asked < 3 {
			t.Errorf("%s: the other window got %d keys, want the %d of %d pastes", i.Name(), got, want, asked-1)
		}
		if got := r.page.Messages(); !reflect.DeepEqual(got, []string{testLine}) {
			t.Errorf("%s: messages %q", i.Name(), got)
		}
	}
}

// Keys that bring the focus into the chat input are pressed before the line; a
// keyboard that does not have them is found out before anything is pressed.
func TestProgramsPressFocusKeys(t *testing.T) {
	r := furnish(t, startX11(t, noIdle()...))
	r.m.Robotgo = buildRobotgo(t)
	chord, err := ParseChord("ctrl+i")
	must(t, err)
	for _, i := range []Injector{newRobotgo(r.m), newXdotool(r.m)} {
		must(t, r.x.Layout(patient(t), "de"))
		r.fresh()
		target := r.target(&steps{})
		target.FocusKeys = chord
		if err := tryOne(patient(t), i, target); err != nil {
			t.Errorf("%s: %v", i.Name(), err)
		}
		r.exact()
		var keys []string
		for _, k := range r.page.Keys() {
			keys = append(keys, k.Key)
		}
		if got, want := strings.Join(keys, " "), "Control i Shift Insert Enter"; got != want {
			t.Errorf("%s: the page got the keys %q, want %q", i.Name(), got, want)
		}

		must(t, r.x.Layout(patient(t), "ru"))
		r.fresh()
		if err := tryOne(patient(t), i, target); err == nil || !strings.Contains(err.Error(), "no key i") {
			t.Errorf("%s on ru: got %v, want that there is no key i", i.Name(), err)
		}
		if err := i.Type(patient(t), target); err == nil || errors.As(err, new(*SentError)) {
			t.Errorf("%s on ru: got %v, want an error before any key", i.Name(), err)
		}
		r.nothing()
		if keys := r.page.Keys(); len(keys) > 0 {
			t.Errorf("%s on ru: the page got keys %v", i.Name(), keys)
		}
	}
}

// The programs themselves press nothing before their word, and all of it then.
func TestProgramsWaitForTheirWord(t *testing.T) {
	x := startX11(t)
	other, err := x.NewOther(patient(t), "XTerm", "terminal", os.Getpid())
	must(t, err)
	t.Cleanup(other.Close)
	must(t, other.Activate(patient(t)))
	m := Machine{OS: "linux", Env: x.Env(), Robotgo: buildRobotgo(t)}
	path, err := m.look("xdotool")
	must(t, err)
	for _, tt := range []struct {
		name  string
		poise func() (func() error, func(), error)
	}{
		{"robotgo", func() (func() error, func(), error) { return robotgo{m}.poise([]string{"press", "return"}) }},
		{"xdotool", func() (func() error, func(), error) { return xdotool{m}.poise(path, "key 36\n") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, word := range []bool{false, true} {
				other.Reset()
				press, drop, err := tt.poise()
				must(t, err)
				want := 0
				if word {
					want = 2 // down and up
					must(t, press())
				}
				drop()
				must(t, other.Sync(patient(t)))
				if got := other.Keys(); len(got) != want {
					t.Errorf("told to press: %t; got %+v", word, got)
				}
			}
		})
	}
}
