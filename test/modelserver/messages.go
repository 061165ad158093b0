package modelserver

import "encoding/json"

// Messages: https://docs.anthropic.com/en/api/messages-streaming

func readMessages(_ string, body []byte) (Request, error) {
	var in struct {
		Model    string
		Stream   bool
		System   json.RawMessage
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []struct{ Name string }
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	system, err := text(in.System)
	if err != nil {
		return Request{}, err
	}
	r := Request{Model: in.Model, stream: in.Stream, System: system}
	for _, t := range in.Tools {
		r.Tools = append(r.Tools, t.Name)
	}
	for _, m := range in.Messages {
		if err := r.addBlocks(m.Role, m.Content); err != nil {
			return Request{}, err
		}
	}
	return r, nil
}

func (r *Request) addBlocks(role string, content json.RawMessage) error {
	said, err := text(content)
	if err != nil {
		return err
	}
	var blocks []struct {
		Type, Name string
		Content    json.RawMessage
	}
	_ = json.Unmarshal(content, &blocks) // a string has none
	m := Message{Role: role}
	for _, b := range blocks {
		switch b.Type {
		case "tool_use":
			m.Calls = append(m.Calls, b.Name)
		case "tool_result":
			result, err := text(b.Content)
			if err != nil {
				return err
			}
			m.Results = append(m.Results, result)
		}
	}
	r.add(m, said)
	return nil
}

func writeMessages(w *stream, r Request, a reply) {
	reason := "end_turn"
	if len(a.calls) > 0 {
		reason = "tool_use"
	}
	usage := map[string]any{"input_tokens": 10, "output_tokens": 5, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
	message := map[string]any{"id": "msg_" + a.id, "type": "message", "role": "assistant", "model": r.Model,
		"stop_sequence": nil, "usage": usage}
	if !w.streamed {
		message["content"], message["stop_reason"] = a.blocks(), reason
		writeJSON(w.w, 200, message)
		return
	}
	message["content"], message["stop_reason"] = []any{}, nil
	w.send("message_start", map[string]any{"type": "message_start", "message": message})
	for i, b := range a.blocks() {
		sendBlock(w, i, b.(map[string]any))
	}
	w.send("message_delta", map[string]any{"type": "message_delta",
		"delta": map[string]any{"stop_reason": reason, "stop_sequence": nil}, "usage": usage})
	w.send("message_stop", map[string]any{"type": "message_stop"})
}

func (a reply) blocks() []any {
	blocks := []any{}
	if a.text != "" {
		blocks = append(blocks, map[string]any{"type": "text", "text": a.text})
	}
	for _, c := range a.calls {
		blocks = append(blocks, map[string]any{"type": "tool_use", "id": "toolu_" + c.id, "name": c.name, "input": c.args})
	}
	return blocks
}

func sendBlock(w *stream, i int, b map[string]any) {
	begin := map[string]any{"type": "text", "text": ""}
	var deltas []map[string]any
	if b["type"] == "text" {
		for _, piece := range halves(b["text"].(string)) {
			deltas = append(deltas, map[string]any{"type": "text_delta", "text": piece})
		}
	} else {
		begin = map[string]any{"type": "tool_use", "id": b["id"], "name": b["name"], "input": map[string]any{}}
		deltas = append(deltas, map[string]any{"type": "input_json_delta", "partial_json": toolCall{args: b["input"]}.json()})
	}
	w.send("content_block_start", map[string]any{"type": "content_block_start", "index": i, "content_block": begin})
	for _, d := range deltas {
		w.send("content_block_delta", map[string]any{"type": "content_block_delta", "index": i, "delta": d})
	}
	w.send("content_block_stop", map[string]any{"type": "content_block_stop", "index": i})
}

func failAnthropic(a Answer) any {
	kind := map[int]string{429: "rate_limit_error", 500: "api_error", 529: "overloaded_error"}[a.Status]
	if kind == "" {
		kind = "invalid_request_error"
	}
	return map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": a.Text}}
}
