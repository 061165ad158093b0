package modelserver

import "encoding/json"

// Responses: https://platform.openai.com/docs/api-reference/responses-streaming

func readResponses(_ string, body []byte) (Request, error) {
	var in struct {
		Model        string
		Stream       bool
		Instructions string
		Input        json.RawMessage
		Tools        []struct {
			Type, Name string
			Tools      []struct{ Name string } // of a namespace
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	r := Request{Model: in.Model, stream: in.Stream, System: in.Instructions}
	for _, t := range in.Tools {
		if t.Name != "" {
			r.Tools = append(r.Tools, t.Name)
		}
		if t.Type == "custom" {
			r.custom = append(r.custom, t.Name)
		}
	}
	var one string
	if json.Unmarshal(in.Input, &one) == nil {
		r.add(Message{Role: "user"}, one)
		return r, nil
	}
	return r, r.addItems(in.Input)
}

func (r *Request) addItems(raw json.RawMessage) error {
	var items []struct {
		Type, Role, Name string
		Content, Output  json.RawMessage
	}
	if err := json.Unmarshal(raw, &items); err != nil {
		return err
	}
	for _, it := range items {
		m, raw := Message{Role: it.Role}, it.Content
		switch it.Type {
		case "", "message":
		case "function_call", "custom_tool_call":
			m.Role, m.Calls = "assistant", []string{it.Name}
		case "function_call_output", "custom_tool_call_output":
			m.Role, raw = "tool", it.Output
		default: // reasoning and the like
			continue
		}
		said, err := text(raw)
		if err != nil {
			return err
		}
		r.add(m, said)
	}
	return nil
}

func writeResponses(w *stream, r Request, a reply) {
	whole := func(status string, output []any) map[string]any {
		return map[string]any{"id": a.id, "object": "response", "created_at": 1, "status": status, "model": r.Model, "output": output,
			"usage": map[string]any{"input_tokens": 10, "input_tokens_details": map[string]any{"cached_tokens": 0},
				"output_tokens": 5, "output_tokens_details": map[string]any{"reasoning_tokens": 0}, "total_tokens": 15}}
	}
	output := a.items()
	if !w.streamed {
		writeJSON(w.w, 200, whole("completed", output))
		return
	}
	n := 0
	send := func(kind string, more map[string]any) {
		more["type"], more["sequence_number"] = kind, n
		n++
		w.send(kind, more)
	}
	send("response.created", map[string]any{"response": whole("in_progress", []any{})})
	for i, item := range output {
		sendItem(send, i, item.(map[string]any), a)
	}
	send("response.completed", map[string]any{"response": whole("completed", output)})
}

// items are the pieces of an answer: a message, then the calls.
func (a reply) items() []any {
	items := []any{}
	if a.text != "" {
		items = append(items, map[string]any{"type": "message", "id": "msg_" + a.id, "status": "completed", "role": "assistant",
			"content": []any{map[string]any{"type": "output_text", "text": a.text, "annotations": []any{}}}})
	}
	for _, c := range a.calls {
		if s, ok := c.args.(string); ok {
			items = append(items, map[string]any{"type": "custom_tool_call", "id": "ctc_" + c.id, "status": "completed",
				"call_id": c.id, "name": c.name, "input": s})
			continue
		}
		items = append(items, map[string]any{"type": "function_call", "id": "fc_" + c.id, "status": "completed",
			"call_id": c.id, "name": c.name, "arguments": c.json()})
	}
	return items
}

func sendItem(send func(string, map[string]any), i int, item map[string]any, a reply) {
	at := func(more map[string]any) map[string]any {
		more["output_index"], more["item_id"] = i, item["id"]
		return more
	}
	begun := map[string]any{}
	for k, v := range item {
		begun[k] = v
	}
	begun["status"] = "in_progress"
	switch item["type"] {
	case "message":
		begun["content"] = []any{}
		send("response.output_item.added", at(map[string]any{"item": begun}))
		send("response.content_part.added", at(map[string]any{"content_index": 0,
			"part": map[string]any{"type": "output_text", "text": "", "annotations": []any{}}}))
		for _, piece := range halves(a.text) {
			send("response.output_text.delta", at(map[string]any{"content_index": 0, "delta": piece}))
		}
		send("response.output_text.done", at(map[string]any{"content_index": 0, "text": a.text}))
	case "function_call":
		begun["arguments"] = ""
		send("response.output_item.added", at(map[string]any{"item": begun}))
		send("response.function_call_arguments.delta", at(map[string]any{"delta": item["arguments"]}))
		send("response.function_call_arguments.done", at(map[string]any{"arguments": item["arguments"]}))
	default:
		send("response.output_item.added", at(map[string]any{"item": begun}))
	}
	send("response.output_item.done", at(map[string]any{"item": item}))
}
