package hook_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/hook"
)

// A complete Cursor hook. In a real one stdin is os.Stdin, and hooks.json names
// the program under beforeShellExecution.
func ExampleServe() {
	stdin := strings.NewReader(`{"hook_event_name":"beforeShellExecution","command":"git push --force"}`)
	err := hook.Serve(stdin, os.Stdout, hook.Handlers{
		BeforeShellExecution: func(e hook.BeforeShellExecution) hook.PermissionAnswer {
			if strings.Contains(e.Command, "--force") {
				return hook.PermissionAnswer{Permission: hook.Ask, UserMessage: "Overwrite the remote branch?"}
			}
			return hook.PermissionAnswer{}
		},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	// Output:
	// {"permission":"ask","user_message":"Overwrite the remote branch?"}
}

// Reading step by step lets a hook exit before it decodes anything.
func ExampleRead() {
	stdin := strings.NewReader(`{"hook_event_name":"afterShellExecution","conversation_id":"c1","command":"make","output":"done"}`)
	in, err := hook.Read(stdin)
	if err != nil || !in.Contains("make") {
		return
	}
	var e hook.AfterShellExecution
	if err := in.Decode(&e); err != nil {
		return
	}
	fmt.Println(in.EventName, in.ConversationID, e.Command, e.Output)
	// Output:
	// afterShellExecution c1 make done
}

// A hook that holds a message back and shows the user why.
func ExampleBlock() {
	stdin := strings.NewReader(`{"hook_event_name":"beforeSubmitPrompt","prompt":"deploy to production"}`)
	err := hook.Serve(stdin, os.Stdout, hook.Handlers{
		BeforeSubmitPrompt: func(e hook.BeforeSubmitPrompt) hook.BeforeSubmitPromptAnswer {
			if strings.Contains(e.Prompt, "production") {
				return hook.Block("Production is deployed by CI only.")
			}
			return hook.BeforeSubmitPromptAnswer{}
		},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	// Output:
	// {"continue":false,"user_message":"Production is deployed by CI only."}
}

// A stop hook's answer is lost if Cursor does not read it before the hook exits:
// Deliver closes the output and stays for a moment.
func ExampleDeliver() {
	answer := hook.StopAnswer{FollowupMessage: "Run the tests again."}
	if err := hook.Deliver(os.Stdout, answer, hook.Linger(runtime.GOOS)); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

func ExampleWrite() {
	answer := hook.StopAnswer{FollowupMessage: "Go on until you can say <promise>COMPLETE</promise>."}
	if err := hook.Write(os.Stdout, answer); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	// Output:
	// {"followup_message":"Go on until you can say <promise>COMPLETE</promise>."}
}

// A tool's input is an object, or a string that contains one: Text returns the same
// for both.
func ExampleText() {
	for _, input := range []string{`{"command":"make"}`, `"{\"command\":\"make\"}"`} {
		fmt.Println(hook.Text([]byte(input)))
	}
	// Output:
	// {"command":"make"}
	// {"command":"make"}
}
