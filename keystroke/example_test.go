package keystroke_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/cursor-ralph/cursor-ralph/keystroke"
	"github.com/cursor-ralph/cursor-ralph/platform"
)

// Type a line into Cursor by the best way that this desktop has. Nothing is
// pressed unless the focused window is Cursor's.
func Example() {
	m := keystroke.Machine{Desktop: platform.FindDesktop(runtime.GOOS, os.Getenv), OS: runtime.GOOS, Env: os.Environ()}
	ways, err := keystroke.Injectors(m, nil)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	outcome := keystroke.Type(ctx, ways, keystroke.Target{
		Line: "Go on, please.", Workspace: "/home/ada/shop", Editors: keystroke.Editors(os.Getenv),
	})
	for _, try := range outcome.Tries {
		fmt.Println(try.Name, try.Err)
	}
}

func ExampleInjectors() {
	ways, err := keystroke.Injectors(keystroke.Machine{Desktop: platform.Desktop{Kind: platform.X11}}, nil)
	fmt.Println(ways[0].Name(), ways[1].Name(), err)
	// Output: bridge extension <nil>
}

func ExampleParseChord() {
	chord, err := keystroke.ParseChord("shift+ctrl+i")
	fmt.Println(chord, err)
	// Output: ctrl+shift+i <nil>
}

// A line that could do more than to be typed is refused.
func ExampleTarget_Check() {
	fmt.Println(keystroke.Target{Line: "hello"}.Check())
	fmt.Println(keystroke.Target{Line: "hello\nrm -rf /"}.Check() != nil)
	// Output:
	// <nil>
	// true
}
