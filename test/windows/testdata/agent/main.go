// Agent is an agent for cursor-ralph run that prints and ends. It works in its
// first turn, and promises in its second.
package main

import (
	"fmt"
	"os"
)

func main() {
	if _, err := os.Stat("first.txt"); err != nil {
		write("first.txt")
		fmt.Println("I wrote the first file. More is to do.")
		return
	}
	write("second.txt")
	fmt.Println("Both files exist.")
	fmt.Println("<promise>COMPLETE</promise>")
}

func write(name string) {
	if err := os.WriteFile(name, []byte("text\n"), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
