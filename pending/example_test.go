package pending_test

import (
	"fmt"

	"github.com/cursor-ralph/cursor-ralph/pending"
)

// What cursor-ralph prints tells a hook, which knows the conversation, which
// file to bind to it.
func ExampleFindToken() {
	output := "Loop started.\n" + pending.TokenLine + "1767225600000-4711:8c1f5e0a9b2d4c6e\n"
	token := pending.FindToken(output)
	fmt.Println(token, pending.IsToken(token))
	fmt.Println(pending.FindToken("nothing here") == "")
	// Output:
	// 1767225600000-4711:8c1f5e0a9b2d4c6e true
	// true
}
