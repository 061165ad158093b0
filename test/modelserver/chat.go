package modelserver

import (
	"encoding/json"
	"fmt"
)

// Chat Completions: https://platform.openai.com/docs/api-reference/chat

func readChat(_ string, body []byte) (Request, error) {
	var in struct {
		Model    string
		Stream   bool
		Messages []struct {
			Role      string
			Content   json.RawMessage
			ToolCalls []struct {
				Function struct{ Name string }
			} `json:"tool_calls"`
		}
		Tools []struct {
			Function struct{ Name string }
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	r := Request{Model: in.Model, stream: in.Stream}
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, t.Function.Name)
	}
	for _, m := range in.Messages {
		said, err := text(m.Content)
		if err != nil {
			return Request{}, err
		}
		next := Message{Role: m.Role}
		for _, c := range m.ToolCalls {
			next.Calls = append(next.Calls, c.Function.Name)
		}
		r.add(next, said)
	}
	return r, nil
}

// add adds instructions, a tool's result, or a message.
func (r *Request) add(m Message, said string) {
	switch m.Role {
	case "system", "developer":
		r.System += said + "\n"
		return
	case "tool":
		m.Results = append(m.Results, said)
	default:
		m.Text = said
	}
	r.Messages = append(r.Messages, m)
}

func writeChat(w *stream, r Request, a reply) {
	usage := map[string]any{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
	message := map[string]any{"role": "assistant", "content": a.text}
	reason := "stop"
	var calls []any
	for i, c := range a.calls {
		reason = "tool_calls"
		calls = append(calls, map[string]any{"index": i, "id": c.id, "type": "function",
			"function": map[string]any{"name": c.name, "arguments": c.json()}})
	}
	chunk := func(kind, key string, v any, reason any) map[string]any {
		return map[string]any{"id": a.id, "object": kind, "created": 1, "model": r.Model,
			"choices": []any{map[string]any{"index": 0, key: v, "finish_reason": reason}}}
	}
	if !w.streamed {
		if calls != nil {
			message["tool_calls"] = calls
		}
		whole := chunk("chat.completion", "message", message, reason)
		whole["usage"] = usage
		writeJSON(w.w, 200, whole)
		return
	}
	const kind = "chat.completion.chunk"
	for _, piece := range halves(a.text) {
		w.send("", chunk(kind, "delta", map[string]any{"role": "assistant", "content": piece}, nil))
	}
	if calls != nil {
		w.send("", chunk(kind, "delta", map[string]any{"role": "assistant", "tool_calls": calls}, nil))
	}
	w.send("", chunk(kind, "delta", map[string]any{}, reason))
	w.send("", map[string]any{"id": a.id, "object": kind, "created": 1, "model": r.Model, "choices": []any{}, "usage": usage})
	fmt.Fprint(w.w, "data: [DONE]\n\n")
}

// halves cuts a text in two, so that a promise arrives in two pieces.
func halves(s string) []string {
	if s == "" {
		return nil
	}
	runes := []rune(s)
	if len(runes) < 2 {
		return []string{s}
	}
	cut := len(runes) - len(runes)/3
	if cut == len(runes) {
		cut--
	}
	return []string{string(runes[:cut]), string(runes[cut:])}
}

func failOpenAI(a Answer) any {
	kind := map[int]string{429: "rate_limit_exceeded", 500: "server_error", 503: "server_error"}[a.Status]
	if kind == "" {
		kind = "invalid_request_error"
	}
	return map[string]any{"error": map[string]any{"message": a.Text, "type": kind, "code": kind}}
}
