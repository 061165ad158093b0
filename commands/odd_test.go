package commands

import (
	"fmt"
	"math/rand"
	"strings"

	"github.com/tailscale/hujson"
)

// odd are files that people could have, written in every way that parses and that Cursor accepts.
func odd() map[string]string {
	return map[string]string{
		"empty hooks":            "{\n  \"version\": 1,\n  \"hooks\": {}\n}\n",
		"empty hooks, one line":  `{"version": 1, "hooks": {}}`,
		"spaced empty hooks":     "{\n  \"version\": 1,\n  \"hooks\": { }\n}\n",
		"open empty hooks":       "{\n  \"version\": 1,\n  \"hooks\": {\n\n  }\n}\n",
		"an empty stop":          "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": []\n  }\n}\n",
		"a spaced empty stop":    "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [   ]\n  }\n}\n",
		"a commented empty stop": "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [ // mine\n    ]\n  }\n}\n",
		"a blocked empty stop":   "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [/* mine */]\n  }\n}\n",
		"another stop hook":      "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      { \"command\": \"./mine.sh\" }\n    ]\n  }\n}\n",
		"spread entries": "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      {\n        \"command\": \"./mine.sh\",\n        \"loop_limit\": null\n      }\n    ],\n" +
			"    \"afterFileEdit\": [\n      {\n        \"command\": \"./format.sh\"\n      }\n    ]\n  }\n}\n",
		"tabs":                 "{\n\t\"version\": 1,\n\t\"hooks\": {\n\t\t\"stop\": [\n\t\t\t{\"command\": \"./mine.sh\"}\n\t\t]\n\t}\n}\n",
		"CRLF":                 "{\r\n  \"version\": 1,\r\n  \"hooks\": {\r\n    \"stop\": [\r\n      { \"command\": \"mine.cmd\" } // mine\r\n    ]\r\n  }\r\n}\r\n",
		"CRLF and nothing":     "{\r\n  \"version\": 1,\r\n  \"hooks\": {}\r\n}",
		"no spaces":            `{"version":1,"hooks":{"stop":[{"command":"./mine.sh"}]}}`,
		"one line":             `{ "version": 1, "hooks": { "stop": [ { "command": "./mine.sh" }, { "command": "b" } ] } }`,
		"no final newline":     "{\n  \"version\": 1,\n  \"hooks\": {}\n}",
		"a final comment":      "{\n  \"version\": 1,\n  \"hooks\": {}\n} // the end",
		"hooks first":          "{\n  \"hooks\": {\n    \"stop\": []\n  },\n  \"version\": 1\n}\n",
		"no indentation":       "{\n\"version\": 1,\n\"hooks\": {\n\"stop\": [\n{ \"command\": \"a\" }\n]\n}\n}\n",
		"odd indentation":      "  {\n       \"version\": 1,\n   \"hooks\":\n {\n  \"stop\":\n     [\n {\"command\"  :  \"a\"}\n\n\n  ]   \n }  \n  }",
		"leading commas":       "{ \"version\": 1\n, \"hooks\": { \"stop\": [ { \"command\": \"a\" }\n, { \"command\": \"b\" }\n] }\n}\n",
		"comments everywhere":  "// a\n{ // b\n  /* c */ \"version\" /* d */ : /* e */ 1 /* f */, // g\n  // h\n  \"hooks\": { // i\n    \"stop\": [ // j\n      // k\n      { \"command\": \"x\" /* l */ } /* m */ // n\n      // o\n    ] // p\n    // q\n  } // r\n} // s\n// t\n",
		"a block comment last": "{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"x\"} /* last */]}}",
		"unknown members":      "{\n  \"$schema\": \"./s.json\",\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [{\"command\": \"a\", \"mine\": {\"deep\": [1, [2, {}]]}}]\n  },\n  \"more\": []\n}\n",
		"escapes and unicode":  "{\n  \"version\": 1,\n  \"hooks\": {\n    \"st\\u006fp\": [ { \"command\": \"echo \\\"\\u00e9 \U0001f600\\\" https:\\/\\/x\" } ]\n  }\n}\n",
		"prompt entries":       "{\n  \"version\": 1,\n  \"hooks\": {\n    \"preToolUse\": [ { \"type\": \"prompt\", \"prompt\": \"is this safe?\" } ]\n  }\n}\n",
		"all our events": "{\n  \"version\": 1,\n  \"hooks\": {\n    \"beforeSubmitPrompt\": [{\"command\": \"a\"}], \"afterShellExecution\": [{\"command\": \"b\", \"matcher\": \"git\"}],\n" +
			"    \"postToolUse\": [],\n    \"postToolUseFailure\": [ ],\n    \"stop\": [\n    ],\n    \"afterAgentResponse\": [{\"command\": \"c\"}]\n  }\n}\n",
		"blank lines between": "{\n\n  \"version\": 1,\n\n  \"hooks\": {\n\n    \"stop\": [\n\n      { \"command\": \"a\" },\n\n      { \"command\": \"b\" }\n\n    ]\n\n  }\n\n}\n\n",
	}
}

// randomHooks is a file with random entries, and random white space and comments around every value.
func randomHooks(r *rand.Rand) string {
	newline := []string{"\n", "\r\n"}[r.Intn(4)/3]
	var events []string
	for _, e := range append(fullEvents(), "afterFileEdit", "sessionStart", "preToolUse") {
		if r.Intn(3) == 0 {
			entries := []string{`{"command":"1","timeout":9}`, `{"command":"2"}`}[:r.Intn(3)]
			events = append(events, fmt.Sprintf("%q:[%s]", e, strings.Join(entries, ",")))
		}
	}
	root, err := hujson.Parse(fmt.Appendf(nil, `{"version":1,"hooks":{%s}}`, strings.Join(events, ",")))
	if err != nil {
		panic(err)
	}
	for v := range root.All() {
		v.BeforeExtra = extra(r, newline)
		g := groupOf(v)
		*g.after = extra(r, newline)
		for i, item := range g.items {
			item.first.AfterExtra, item.last.AfterExtra = extra(r, newline), extra(r, newline)
			if i == len(g.items)-1 {
				item.last.AfterExtra = nil // has no comma behind it
			}
		}
	}
	return string(root.Pack()) + string(extra(r, newline))
}

func extra(r *rand.Rand, newline string) hujson.Extra {
	list := []string{" ", " // c" + newline, "/* c */", newline, newline + "  ", newline + "    ", newline + "      "}
	if i := r.Intn(12); i < len(list) {
		return hujson.Extra(list[i])
	}
	return hujson.Extra{}
}

// fullEvents are those of an installation.
func fullEvents() (events []string) {
	for _, e := range linux().entries() {
		events = append(events, e.event)
	}
	return events
}
