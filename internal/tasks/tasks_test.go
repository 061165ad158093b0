package tasks_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cursor-ralph/cursor-ralph/internal/tasks"
)

// shown is a list as text: a line for each task, done ones with an x.
func shown(l tasks.List) string {
	var b strings.Builder
	for _, t := range l {
		mark := "- "
		if t.Done {
			mark = "x "
		}
		b.WriteString(mark + t.Name + "\n")
	}
	return b.String()
}

func TestMarkdown(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"the signs of a list", "- [ ] a\n- [x] b\n\n* [X] c\n\n+ [ ] d\n\n1. [ ] e\n2. [x] f\n\n3) [ ] g\n", "- a\nx b\nx c\n- d\n- e\nx f\n- g\n"},
		{"nested", "- [ ] a\n  - [x] b\n    1. [ ] c\n- no box\n  - [ ] d\n", "- a\nx b\n- c\n- d\n"},
		{"below headings, in quotes, with empty lines", "# One\n\n- [ ] a\n\n  more of a\n\n## Two\n> - [x] b\n", "- a\nx b\n"},
		{"a tab, and lines of Windows", "-\t[ ] a\r\n- [x]\tb\r\n", "- a\nx b\n"},
		{"words of two lines: the first", "- [ ] write the\n  parser\n", "- write the\n"},
		{"not in fenced code", "```\n- [ ] a\n```\n~~~md\n- [ ] b\n```\n- []\n~~~\n\n- [x] d\n  ````sh\n  - [ ] e\n  ```\n  ````\n```one line```\n- [ ] f\n", "x d\n- f\n"},
		{"not in a fence without an end", "- [x] a\n\n```\n- [ ] b\n", "x a\n"},
		{"not in comments", "<!-- - [ ] a -->\n<!--\n- [ ] b\n-->\n- [x] c\n", "x c\n"},
		{"not in a paragraph", "Use - [ ] like this\n[ ] or this\n- see [x] there\n- [x] c\n", "x c\n"},
		{"links, and boxes without words", "- [xx] c\n- [x](http://x) f\n- [x][1] f\n- [ ]\n- [x] g\n", "x g\n"},
		{"a mark in front", "\xef\xbb\xbf- [ ] a\n", "- a\n"},
		{"control characters", "- [ ] a\x1b[31m\x07b\n", "- a[31mb\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list, err := tasks.Parse("TODO.md", []byte(tt.text))
			if diff := cmp.Diff(tt.want, shown(list)); err != nil || diff != "" {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"an array", `[{"description":"a","passes":false},{"title":"b","description":"long","passes":true}]`, "- a\nx b\n"},
		{"user stories", `{"project":"p","userStories":[{"id":"US-001","title":"Add it","passes":false,"priority":1,"notes":""}]}`, "- US-001: Add it\n"},
		{"a number as id, and no words", `[{"id":7,"passes":true},{"passes":false},{"id":null,"name":"c","passes":false}]`, "x 7\n- task 2\n- c\n"},
		{"words of several lines", `[{"title":"a\n  b\u001b","passes":false}]`, "- a b\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list, err := tasks.Parse("prd.JSON", []byte(tt.text))
			if diff := cmp.Diff(tt.want, shown(list)); err != nil || diff != "" {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
}

func TestNoList(t *testing.T) {
	for _, tt := range []struct{ name, file, text, want string }{
		{"no box", "TODO.md", "# Plan\n- a\n", "it has no task"},
		{"empty", "TODO.md", "", "it has no task"},
		{"bytes", "TODO.md", "\x00\xff\xfe", "it has no task"},
		{"too many", "TODO.md", strings.Repeat("- [ ] a\n", 1001), "more than 1000 tasks"},
		{"nearly a box", "TODO.md", "- [ ] a\n\n- [] b\n", "line 3 is nearly a checkbox ([])"},
		{"another mark", "TODO.md", "1. [~] a\n", "line 1 is nearly a checkbox ([~])"},
		{"no space", "TODO.md", "- [ ]a\n", "no space behind [ ]"},
		{"empty JSON", "a.json", "", "not a JSON task list"},
		{"cut JSON", "a.json", `[{"title":"a","passes":tr`, "not a JSON task list"},
		{"no array", "a.json", `"a"`, "not a JSON task list"},
		{"an object of something else", "a.json", `{"stories":[]}`, "no userStories"},
		{"no tasks", "a.json", `{"userStories":[]}`, "it has no task"},
		{"no passes", "a.json", `[{"title":"a"}]`, "task 1 has no passes"},
		{"passes as text", "a.json", `[{"title":"a","passes":"yes"}]`, "not a JSON task list"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list, err := tasks.Parse(tt.file, []byte(tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) || list != nil {
				t.Errorf("got %v, %v", list, err)
			}
		})
	}
}

func TestOptional(t *testing.T) {
	for _, tt := range []struct{ name, file, text, want string }{
		{"they do not count", "TODO.md", "- [ ] a\n- [ ] (optional) b\n- [x] (Optional) c\n", "- a\n"},
		{"what is below one counts", "TODO.md", "- [ ] (optional) a\n  - [ ] b\n", "- b\n"},
		{"only at the beginning", "TODO.md", "- [ ] a (optional)\n- [ ] optional b\n", "- a (optional)\n- optional b\n"},
		{"behind an id", "a.json", `[{"id":"US-1","title":"(optional) a","passes":false},{"title":"(optional) b","passes":false},{"id":2,"title":"c","passes":true}]`, "x 2: c\n"},
		{"nothing else", "TODO.md", "- [ ] (optional) a\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list, err := tasks.Parse(tt.file, []byte(tt.text))
			if diff := cmp.Diff(tt.want, shown(list)); diff != "" || (err != nil) != (tt.want == "") {
				t.Errorf("%v\n%s", err, diff)
			}
		})
	}
}

func TestRead(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(dir, "TODO.md"): "- [ ] a\n", filepath.Join(outside, "TODO.md"): "- [ ] secret\n",
		filepath.Join(dir, "large.md"): strings.Repeat("- [ ] a\n", 1<<18),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	link(t, "TODO.md", filepath.Join(dir, "inside.md"))
	link(t, filepath.Join(outside, "TODO.md"), filepath.Join(dir, "outside.md"))
	for _, tt := range []struct{ name, file, want string }{
		{"in the workspace", "TODO.md", "- a\n"},
		{"a link in the workspace", "inside.md", "- a\n"},
		{"by its whole path", filepath.Join(outside, "TODO.md"), "- secret\n"},
		{"beside the workspace, by its name", filepath.Join("..", filepath.Base(outside), "TODO.md"), "- secret\n"},
		{"a link out of the workspace", "outside.md", "it is a link that leads out of the workspace"},
		{"none", "none.md", "it does not exist"},
		{"below a file", "TODO.md/x.md", "not a directory"},
		{"a folder", "folder.md", "it is not a regular file"},
		{"a large file", "large.md", "it is larger than 1024 KiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list, err := tasks.Read(t.Context(), dir, tt.file)
			got := shown(list)
			if err != nil {
				got = err.Error()
			}
			if !strings.HasPrefix(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Skipf("no links here: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"- [ ] a\n  - [x] b\n", "1. [X] a\n```\n- [ ] b\n", "> - [ ] a\n> <!--\n", "- [ ] \x1b]0;a\x07\xff", `[{"id":1,"passes":true}]`, `{"userStories":[{"title":"a","passes":false}]}`, `[{}]`} {
		f.Add("TODO.md", seed)
		f.Add("prd.json", seed)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		list, err := tasks.Parse(name, []byte(text))
		if (err == nil) == (len(list) == 0) {
			t.Fatalf("got %d tasks, %v", len(list), err)
		}
		for _, task := range list {
			if task.Name == "" || strings.ContainsAny(task.Name, "\n\x1b\x00") || len(task.Name) > 200 {
				t.Fatalf("a task is named %q", task.Name)
			}
		}
		if c := list.Count(len(list)); c.Began > 0 || c.Done > c.Total || (c.Next == "") != (c.Done == c.Total) {
			t.Fatalf("got %+v", c)
		}
	})
}
