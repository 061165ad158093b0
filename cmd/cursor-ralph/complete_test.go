package main

import (
	"testing"

	"github.com/spf13/pflag"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// What completion offers for an option is what it takes.
func TestCompletionOffersValues(t *testing.T) {
	for _, o := range loop.Options() {
		for _, value := range choices()[o.Name] {
			r := loop.NewRequest()
			if err := o.Set(&r, value); err != nil {
				t.Error(err)
			}
		}
	}
	for _, value := range choices()["submit-key"][:2] {
		if _, err := cli.SubmitKey(value); err != nil {
			t.Error(err)
		}
	}
}

// Every option that completion knows by its name is there.
func TestCompletionKnowsOptions(t *testing.T) {
	there := map[string]bool{}
	for _, c := range table() {
		flagSet(c).VisitAll(func(f *pflag.Flag) { there[f.Name] = true })
	}
	for name := range choices() {
		if !there[name] {
			t.Errorf("no command has --%s", name)
		}
	}
}
