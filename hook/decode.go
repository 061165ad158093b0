package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// Decode decodes the event into one of the event structs, or into a struct of
// your own. Like Read it leaves a field of the wrong type zero and goes on, and
// it takes 4.0 for the int 4. Names are compared without regard to letter case,
// and of a name given twice the last counts, as always in encoding/json.
func (in Input) Decode(event any) error {
	if err := decode(in.raw, event); err != nil {
		return fmt.Errorf("decode hook input: %w", err)
	}
	return nil
}

// decode fills v from raw. It relies on encoding/json to go on after a value of
// the wrong type and to report only the first such value, at the end.
func decode(raw []byte, v any) error {
	err := json.Unmarshal(raw, v)
	if wrongType(err) {
		if whole := wholeNumbers(raw); whole != nil {
			err = json.Unmarshal(whole, v)
		}
	}
	if err != nil && !wrongType(err) {
		return err
	}
	if c, ok := v.(interface{ tidy() }); ok {
		c.tidy()
	}
	return nil
}

func wrongType(err error) bool {
	var wrong *json.UnmarshalTypeError
	return errors.As(err, &wrong)
}

// wholeNumbers returns raw with the whole numbers at its top level written
// plainly, 4.0 and 4e0 as 4, because encoding/json takes no other way for an int.
// It returns nil when there is nothing to rewrite. raw must be valid JSON.
// Deeper values are left as they are: they may be handed on as they came.
func wholeNumbers(raw []byte) []byte {
	var out []byte
	depth, done := 0, 0
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			i = closingQuote(raw, i)
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			depth--
		case depth == 1 && (c == '-' || '0' <= c && c <= '9'):
			end := len(raw) - len(bytes.TrimLeft(raw[i:], "+-.0123456789eE"))
			if n, ok := wholeNumber(raw[i:end]); ok {
				out = strconv.AppendInt(append(out, raw[done:i]...), n, 10)
				done = end
			}
			i = end - 1
		}
	}
	if done == 0 {
		return nil
	}
	return append(out, raw[done:]...)
}

// closingQuote returns the index of the quote that closes the string opened at i.
func closingQuote(raw []byte, i int) int {
	for i++; i < len(raw) && raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i
}

// wholeNumber returns the value of a number that is whole and not written so.
// Beyond 2^53 a float64 no longer tells which number was meant.
func wholeNumber(token []byte) (int64, bool) {
	if !bytes.ContainsAny(token, ".eE") {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(token), 64)
	if err != nil || f <= -1<<53 || f >= 1<<53 || f != float64(int64(f)) {
		return 0, false
	}
	return int64(f), true
}

// Text returns a value that Cursor sends now as a string, now as an object, as
// text: the content of a string, the JSON of anything else, and "" for null or
// nothing. Tool input that is an object written into a string (MCP tools, older
// versions) is decoded by json.Unmarshal([]byte(Text(e.ToolInput)), &v) as well
// as an object is.
func Text(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil {
		return s
	}
	return string(value)
}
