package platform_test

import (
	"errors"
	"fmt"
	"os"

	"github.com/cursor-ralph/cursor-ralph/platform"
)

// The environment is an argument, so a test can have one of its own.
func ExampleDetectDesktop() {
	env := map[string]string{"WAYLAND_DISPLAY": "wayland-1", "XDG_SESSION_TYPE": "wayland", "XDG_CURRENT_DESKTOP": "GNOME"}
	getenv := func(name string) string { return env[name] }
	read := func(string) (string, error) { return "", errors.New("no such file") }
	exists := func(path string) bool { return true }
	d := platform.DetectDesktop("linux", getenv, read, exists)
	fmt.Println(d.Kind, d.Compositor)
	// Output: wayland gnome
}

// Where the files of loops are.
func ExampleFind() {
	places, err := platform.Find(os.Getenv)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	fmt.Println(places.Pending(), places.Live("some-conversation"), places.Archive)
}

func ExampleSameFolder() {
	fmt.Println(platform.SameFolder("windows", `C:\Work\shop`, "/c:/work/shop"))
	fmt.Println(platform.SameFolder("linux", "/work/shop", "/Work/shop"))
	// Output:
	// true
	// false
}
