package notify

import "context"

// probe cannot tell more: focus assist and the settings may hide what Windows accepts.
func probe(context.Context) (by string, err error) {
	return "Windows, if its settings allow it", nil
}
