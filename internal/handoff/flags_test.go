package handoff

import (
	"flag"
	"io"
	"reflect"
	"slices"
	"testing"
	"time"
)

// What one end writes, the other end reads.
func TestBothEndsOfACall(t *testing.T) {
	for _, call := range []interface{ Flags(Flags) }{
		&Inject{},
		&Inject{DryRun: true, Any: true, Fresh: true},
		&Inject{Injection: "-1", After: 7},
		&Verify{Limit: 90 * time.Second, For: "x"},
		&Notify{IfWanted: true, Undecided: true},
	} {
		args := write("command", call)
		read := reflect.New(reflect.TypeOf(call).Elem()).Interface().(interface{ Flags(Flags) })
		set := flag.NewFlagSet("", flag.ContinueOnError)
		set.SetOutput(io.Discard)
		read.Flags(set)
		if err := set.Parse(args[1:]); err != nil || !reflect.DeepEqual(read, call) {
			t.Errorf("%q: got %+v and %v, want %+v", args, read, err, call)
		}
	}
}

// An id may begin with a hyphen.
func TestAnIDIsNoFlag(t *testing.T) {
	for _, args := range [][]string{Inject{Conversation: "-x"}.args(), Verify{Conversation: "-x"}.args()} {
		if !slices.Equal(args[len(args)-2:], []string{"--", "-x"}) {
			t.Errorf("got %q", args)
		}
	}
}
