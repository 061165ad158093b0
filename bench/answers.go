package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
)

func empty(answer []byte) error {
	if string(bytes.TrimSpace(answer)) != "{}" {
		return errors.New("want {}")
	}
	return nil
}

func quiet(answer []byte) error {
	if message, err := followUpOf(answer); err != nil || message != "" {
		return errors.Join(err, errors.New("want no follow-up"))
	}
	return nil
}

// goesOn wants the follow-up of an iteration, with the task in it and the
// marker.
func goesOn(iteration int, task string) func([]byte) error {
	return func(answer []byte) error {
		message, err := followUpOf(answer)
		if err != nil {
			return err
		}
		for _, part := range []string{fmt.Sprintf("[Ralph loop %d/", iteration), task, "<promise>COMPLETE</promise>"} {
			if !strings.Contains(message, part) {
				return fmt.Errorf("want a follow-up with %q", part)
			}
		}
		return nil
	}
}

func followUpOf(answer []byte) (string, error) {
	var a struct {
		Message string `json:"followup_message"`
	}
	err := json.Unmarshal(answer, &a)
	return a.Message, err
}

// grown looks whether something was written down: an answer alone does not show
// it.
func grown(path string) func() error {
	return func() error {
		info, err := os.Stat(path)
		if err == nil && info.Size() == 0 {
			err = fmt.Errorf("%s is empty", path)
		}
		return err
	}
}
