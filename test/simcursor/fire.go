package simcursor

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// Fire fires an event that no Turn method fires. The fields are added to the common
// ones and may replace them.
func (ch *Chat) Fire(ctx context.Context, event string, fields map[string]any) []Run {
	return ch.fire(ctx, event, fields)
}

// fire runs all matching entries at the same time. It returns the runs in the order
// in which answers are merged.
func (ch *Chat) fire(ctx context.Context, event string, fields map[string]any) []Run {
	payload := ch.payload(event, fields)
	subject := matchSubject(event, payload)
	entries := ch.cursor.entries(event, subject)
	runs := make([]Run, len(entries))
	losing := ch.losesAnswers(event)
	var all sync.WaitGroup
	for i, e := range entries {
		all.Go(func() { runs[i] = ch.runEntry(ctx, e, event, payload) })
	}
	all.Wait()
	for i := range runs {
		if losing {
			runs[i].lose()
		}
		ch.record(Entry{Kind: HookRun, Name: event, Text: runs[i].Command, Run: &runs[i]})
	}
	return slices.Clone(runs)
}

func (c *Cursor) entries(event, subject string) (run []entry) {
	_, hooks := c.load()
	for _, e := range hooks[event] {
		if !e.prompt && (e.matcher == nil || e.matcher.MatchString(subject)) { // a prompt needs a model, and is not simulated
			run = append(run, e)
		}
	}
	return run
}

func (ch *Chat) runEntry(ctx context.Context, e entry, event string, payload map[string]any) Run {
	stdin := encode(payload)
	run := Run{Event: event, Place: e.place.name, Index: e.index, Command: e.command, Payload: stdin,
		Timeout: e.timeout, FailClosed: e.failClosed}
	if e.matcher != nil {
		run.Matcher = e.matcher.String()
	}
	if count, ok := payload["loop_count"].(int); ok && ch.limitReached(e, count) {
		run.Skipped = true
		return run
	}
	start := time.Now()
	run.judge(ch.process(e, stdin).run(ctx))
	run.Ended = time.Now()
	run.Duration = run.Ended.Sub(start)
	return run
}

// limitReached is for events with a loop_count: stop and subagentStop.
func (ch *Chat) limitReached(e entry, count int) bool {
	limit := e.limit
	if ch.cursor.cfg.Options.IgnoreLoopLimit {
		limit = defaultLimit
	}
	return limit != noLimit && count >= limit
}

func (ch *Chat) process(e entry, stdin []byte) process {
	cfg := ch.cursor.cfg
	command := e.command
	if cfg.Options.BOM {
		stdin = append([]byte("\ufeff"), stdin...)
	}
	if cfg.Options.HereDoc {
		command, stdin = fmt.Sprintf("%s <<'CURSOR_HOOK_INPUT'\n%s\nCURSOR_HOOK_INPUT\n", command, stdin), nil
	}
	return process{
		args:    cfg.hookArgs(command),
		dir:     e.place.cwd,
		env:     append(ch.hookEnv(), e.place.env()...),
		stdin:   stdin,
		timeout: e.timeout,
		extraFD: cfg.Options.ExtraFD,
		loop:    ch.cursor.loop,
	}
}

// hookEnv returns a hook's environment. The conversation id is only in the input.
func (ch *Chat) hookEnv() []string {
	cfg := ch.cursor.cfg
	env := append(ch.cursor.baseEnv(), ch.sessionEnv()...)
	env = append(env, "CURSOR_PROJECT_DIR="+cfg.Workspace, "CURSOR_VERSION="+cfg.Version)
	if path := ch.transcriptPath(); path != "" {
		env = append(env, "CURSOR_TRANSCRIPT_PATH="+path)
	}
	return env
}

// baseEnv returns Cursor's environment without what it sets itself: a test may run
// inside Cursor.
func (c *Cursor) baseEnv() []string {
	own := []string{"CURSOR_AGENT", "CURSOR_CONVERSATION_ID", "CURSOR_PROJECT_DIR", "CURSOR_VERSION",
		"CURSOR_USER_EMAIL", "CURSOR_TRANSCRIPT_PATH", "HOME", "USERPROFILE", "SHELL"}
	env := slices.DeleteFunc(slices.Clone(c.cfg.Env), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(own, name)
	})
	return append(env, userEnv(c.cfg.Home, c.cfg.Shell)...)
}

func (ch *Chat) payload(event string, fields map[string]any) map[string]any {
	cfg := ch.cursor.cfg
	p := map[string]any{
		"conversation_id": ch.ID,
		"generation_id":   ch.currentGeneration(),
		"model":           cfg.Model,
		"hook_event_name": event,
		"cursor_version":  cfg.Version,
		"workspace_roots": cfg.workspaceRoots(),
		"user_email":      nil,
		"transcript_path": orNull(ch.transcriptPath()),
	}
	if cfg.Options.SessionID {
		p["session_id"] = ch.ID
	}
	maps.Copy(p, fields)
	return p
}

func (cfg Config) workspaceRoots() []string {
	roots := append([]string{cfg.Workspace}, cfg.Roots...)
	if runtime.GOOS != "windows" {
		return roots
	}
	for i, root := range roots {
		drive := filepath.VolumeName(root)
		roots[i] = "/" + cmp.Or(strings.ToLower(drive), "c:") + filepath.ToSlash(strings.TrimPrefix(root, drive))
	}
	return roots
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// encode writes JSON like JavaScript, which does not escape <, > and &.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("simcursor: a payload field cannot be JSON: %v", err))
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func matchSubject(event string, payload map[string]any) string {
	text := func(key string) string { s, _ := payload[key].(string); return s }
	switch event {
	case "preToolUse", "postToolUse", "postToolUseFailure":
		return text("tool_name")
	case "beforeShellExecution", "afterShellExecution":
		return text("command")
	case "beforeMCPExecution", "afterMCPExecution":
		return "MCP:" + text("tool_name")
	case "subagentStart", "subagentStop":
		return text("subagent_type")
	}
	return map[string]string{
		"beforeReadFile":     "Read",
		"afterFileEdit":      "Write",
		"beforeTabFileRead":  "TabRead",
		"afterTabFileEdit":   "TabWrite",
		"beforeSubmitPrompt": "UserPromptSubmit",
		"afterAgentResponse": "AgentResponse",
		"afterAgentThought":  "AgentThought",
		"stop":               "Stop",
	}[event]
}
