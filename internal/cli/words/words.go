// Package words fills in prompt templates.
package words

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/hint"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

const (
	maxTemplate  = 64 << 10        // bytes of the file
	templateWait = 2 * time.Second // a template can have no end
)

// Run fills in the prompt template that the words on standard input name,
// and prints the text, or why there is none.
func Run(ctx context.Context, e *cli.Env, _ []string) error {
	var w loop.Words
	data, err := io.ReadAll(io.LimitReader(e.Stdin, 4*cli.MaxTask))
	if err == nil {
		err = json.Unmarshal(data, &w)
	}
	if err != nil {
		return hint.Misuse("standard input has no words: "+err.Error(), "the hook runs this")
	}
	return json.NewEncoder(e.Stdout).Encode(Fill(ctx, w)) // for a program: e.json is for people, and changes signs
}

// Fill fills in a template. It gives up on an endless one, which ends with our
// process.
func Fill(ctx context.Context, w loop.Words) loop.Filled {
	ctx, cancel := context.WithTimeout(ctx, templateWait)
	defer cancel()
	done := make(chan loop.Filled, 1)
	go func() { done <- filledIn(w) }()
	select {
	case answer := <-done:
		return answer
	case <-ctx.Done():
		return loop.Filled{For: w.Default, Why: fmt.Sprintf("it was not filled in after %s", templateWait)}
	}
}

func filledIn(w loop.Words) loop.Filled {
	answer := loop.Filled{For: w.Default}
	text, err := execute(w)
	var file *fs.PathError
	switch {
	case errors.As(err, &file): // whoever shows this names the file
		answer.Why = file.Err.Error()
	case err != nil:
		answer.Why = strings.TrimPrefix(err.Error(), "template: ")
	case !strings.Contains(text, w.Marker):
		answer.Why = "the promise is not in its text: put {{.Marker}} where the text says how the loop ends"
	default:
		answer.Text = text
	}
	return answer
}

func execute(w loop.Words) (string, error) {
	info, err := os.Stat(w.Template)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular() || info.Size() > maxTemplate:
		return "", fmt.Errorf("it is no file of at most %d KiB", maxTemplate>>10)
	}
	source, err := os.ReadFile(w.Template)
	if err != nil {
		return "", err
	}
	t, err := template.New(filepath.Base(w.Template)).Parse(string(source))
	if err != nil {
		return "", err
	}
	var b short
	err = t.Execute(&b, w)
	return b.text.String(), err
}

type short struct{ text bytes.Buffer }

func (s *short) Write(p []byte) (int, error) {
	if s.text.Len()+len(p) > loop.TemplateLimit {
		return 0, fmt.Errorf("its text is longer than %d KiB", loop.TemplateLimit>>10)
	}
	return s.text.Write(p)
}

// Path is the whole path of a template.
func Path(name, folder string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(folder, name)
}

// Check refuses a loop whose template cannot be used.
func Check(ctx context.Context, l loop.State) error {
	if l.PromptTemplate == "" {
		return nil
	}
	if why := Fill(ctx, l.Sample()).Why; why != "" {
		return hint.Misuse("--prompt-template "+l.PromptTemplate+": "+why, "nothing was started; correct the file")
	}
	return nil
}
