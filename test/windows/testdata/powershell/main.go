// Powershell stands in for Windows PowerShell 5, which Wine does not have. It
// runs the few forms that hooks.json, the slash commands and --verify use, as
// PowerShell would, and refuses everything else: exit 99 is a command that it
// does not understand, or that PowerShell would take apart differently than
// its writer meant.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"unicode"
)

// The script into which internal/verify puts the user's command.
const (
	gateBegin = "$global:LASTEXITCODE = 0\n$ok = $false\ntry {\n"
	gateEnd   = "\n$ok = $?\n} catch {\n[Console]::Error.WriteLine(($_ | Out-String))\nexit 1\n}\n" +
		"if ($LASTEXITCODE) { exit $LASTEXITCODE }\nif (-not $ok) { exit 1 }\nexit 0"
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "powershell stand-in:", err)
		code = 99
	}
	os.Exit(code)
}

func run(args []string) (int, error) {
	switch strings.Join(args[:max(0, len(args)-1)], " ") {
	case "-NoProfile -Command", "-NoProfile -NonInteractive -Command":
	default:
		return 0, fmt.Errorf("arguments %q", args)
	}
	text := args[len(args)-1]
	if inner, ok := strings.CutPrefix(text, gateBegin); ok {
		inner, ok = strings.CutSuffix(inner, gateEnd)
		if !ok {
			return 0, fmt.Errorf("a script that begins as ours and does not end so: %q", text)
		}
		return statements(inner, "")
	}
	code, err := statements(text, "")
	return min(code, 1), err // of a program's exit code -Command makes 0 or 1
}

// statements runs commands that ; or a newline ends, and returns the last exit code.
func statements(text, input string) (code int, err error) {
	if rest, ok := strings.CutPrefix(text, "@'\n"); ok {
		body, command, ok := strings.Cut(rest, "\n'@ | ")
		if !ok {
			return 0, errors.New("a here-string that goes into no program")
		}
		return statements(command, body+"\r\n")
	}
	for text = strings.TrimLeft(text, " \r\n"); text != ""; text = strings.TrimLeft(text, "; \r\n") {
		var c command
		if c, text, err = parse(text); err != nil {
			return 0, err
		}
		if code, err = c.run(input); err != nil {
			return 0, err
		}
	}
	return code, nil
}

type command struct {
	words  []string
	called bool // & stands before it
	quoted bool // its first word is in quotes
}

func parse(text string) (c command, rest string, err error) {
	text, c.called = strings.CutPrefix(text, "& ")
	for text = strings.TrimLeft(text, " "); text != "" && !strings.ContainsRune(";\r\n", rune(text[0])); text = strings.TrimLeft(text, " ") {
		quoted := strings.ContainsRune(`'"`, rune(text[0]))
		if len(c.words) == 0 {
			c.quoted = quoted
		}
		var word string
		if word, text, err = nextWord(text, quoted); err != nil {
			return c, "", err
		}
		c.words = append(c.words, word)
	}
	return c, text, nil
}

// nextWord reads a bare word or a quoted one. A word of which only a part is in
// quotes has rules of its own in PowerShell, so it is refused.
func nextWord(text string, quoted bool) (word, rest string, err error) {
	if !quoted {
		n := strings.IndexAny(text, " ;\r\n")
		if n < 0 {
			n = len(text)
		}
		if i := strings.IndexAny(text[:n], "'\"`$|&<>(){}@#,\u2018\u2019\u201c\u201d"); i >= 0 {
			return "", "", fmt.Errorf("%q in the bare word %q", text[i], text[:n])
		}
		return text[:n], text[n:], nil
	}
	quote := text[:1]
	for rest = text[1:]; ; {
		n := strings.IndexAny(rest, quote+"`$")
		if n < 0 {
			return "", "", fmt.Errorf("no end of the quote in %q", text)
		}
		word += rest[:n]
		c := rest[n]
		rest = rest[n+1:]
		switch {
		case string(c) == quote && strings.HasPrefix(rest, quote): // twice is one
			word, rest = word+quote, rest[1:]
		case string(c) == quote:
			if rest != "" && !strings.ContainsRune(" ;\r\n", rune(rest[0])) {
				return "", "", fmt.Errorf("a quote ends within a word: %q", text)
			}
			return word, rest, nil
		case quote == "'":
			word += string(c)
		case c == '`' && rest != "" && strings.ContainsRune("\"`$", rune(rest[0])):
			word, rest = word+rest[:1], rest[1:]
		default:
			return "", "", fmt.Errorf("%q in %q stands for something else", c, text)
		}
	}
}

func (c command) run(input string) (int, error) {
	if len(c.words) == 0 {
		return 0, errors.New("nothing to run")
	}
	if c.quoted && !c.called { // a text, which PowerShell prints
		if len(c.words) > 1 {
			return 0, fmt.Errorf("words after a text: %q", c.words)
		}
		fmt.Println(c.words[0])
		return 0, nil
	}
	switch name, args := c.words[0], c.words[1:]; name {
	case "ls", "cat", "rm":
		return file(name, args)
	case "echo":
		fmt.Println(strings.Join(args, "\r\n"))
		return 0, nil
	}
	return program(c.words, input)
}

// file is an alias of PowerShell that takes one file.
func file(name string, args []string) (int, error) {
	if len(args) != 1 || strings.ContainsAny(args[0], "*?[") {
		return 0, fmt.Errorf("%s %q", name, args)
	}
	data, err := os.ReadFile(args[0])
	if err == nil && name == "rm" {
		err = os.Remove(args[0])
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s : Cannot find path '%s' because it does not exist.\r\n", name, args[0])
		return 1, nil
	}
	if name == "cat" {
		os.Stdout.Write(data)
	}
	return 0, nil
}

func program(words []string, input string) (int, error) {
	for _, word := range words[1:] {
		if word == "" || strings.Contains(word, `"`) || strings.HasSuffix(word, `\`) && strings.ContainsFunc(word, unicode.IsSpace) {
			return 0, fmt.Errorf("PowerShell 5 hands the argument %q to a program as something else", word)
		}
	}
	path, err := exec.LookPath(words[0]) // not in the current folder, as PowerShell
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s : The term '%s' is not recognized as the name of a cmdlet, function, script file, or operable program.\r\n", words[0], words[0])
		return 1, nil
	}
	cmd := exec.Command(path, words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if input != "" {
		cmd.Stdin = strings.NewReader(input)
	}
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	return cmd.ProcessState.ExitCode(), nil
}
