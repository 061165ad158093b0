package modelserver

import (
	"encoding/json"
	"strings"
)

// Gemini: https://ai.google.dev/api/generate-content

type geminiPart struct {
	Text             string
	FunctionCall     *struct{ Name string }
	FunctionResponse *struct {
		Name     string
		Response json.RawMessage
	}
}

type geminiContent struct {
	Role  string
	Parts []geminiPart
}

func readGemini(path string, body []byte) (Request, error) {
	var in struct {
		SystemInstruction geminiContent
		Contents          []geminiContent
		Tools             []struct {
			FunctionDeclarations []struct{ Name string }
		}
		GenerationConfig struct {
			ResponseJSONSchema struct {
				Properties map[string]struct{ Type string }
			} `json:"responseJsonSchema"`
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	_, model, _ := strings.Cut(path, "/models/")
	model, method, _ := strings.Cut(model, ":")
	r := Request{Model: model, stream: strings.HasPrefix(method, "stream"), System: in.SystemInstruction.text()}
	for name, p := range in.GenerationConfig.ResponseJSONSchema.Properties {
		if r.fields == nil {
			r.fields = map[string]any{}
		}
		r.fields[name] = map[string]any{"string": "scripted", "number": 0, "boolean": false}[p.Type]
	}
	for _, t := range in.Tools {
		for _, f := range t.FunctionDeclarations {
			r.Tools = append(r.Tools, f.Name)
		}
	}
	for _, c := range in.Contents {
		r.Messages = append(r.Messages, c.message())
	}
	return r, nil
}

func (c geminiContent) text() string {
	var texts []string
	for _, p := range c.Parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func (c geminiContent) message() Message {
	m := Message{Role: c.Role, Text: c.text()}
	if c.Role == "model" {
		m.Role = "assistant"
	}
	for _, p := range c.Parts {
		if p.FunctionCall != nil {
			m.Calls = append(m.Calls, p.FunctionCall.Name)
		}
		if p.FunctionResponse != nil {
			m.Results = append(m.Results, string(p.FunctionResponse.Response))
		}
	}
	return m
}

func writeGemini(w *stream, r Request, a reply) {
	chunk := func(parts []any, reason string) map[string]any {
		candidate := map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": parts}}
		if reason != "" {
			candidate["finishReason"] = reason
		}
		return map[string]any{"responseId": a.id, "modelVersion": r.Model, "candidates": []any{candidate},
			"usageMetadata": map[string]any{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}}
	}
	var calls []any
	for _, c := range a.calls {
		calls = append(calls, map[string]any{"functionCall": map[string]any{"id": c.id, "name": c.name, "args": c.args}})
	}
	if !w.streamed {
		parts := calls
		if a.text != "" {
			parts = append([]any{map[string]any{"text": a.text}}, calls...)
		}
		writeJSON(w.w, 200, chunk(parts, "STOP"))
		return
	}
	for _, piece := range halves(a.text) {
		w.send("", chunk([]any{map[string]any{"text": piece}}, ""))
	}
	if calls == nil {
		calls = []any{map[string]any{"text": ""}}
	}
	w.send("", chunk(calls, "STOP"))
}

func failGemini(a Answer) any {
	status := map[int]string{429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE"}[a.Status]
	if status == "" {
		status = "INVALID_ARGUMENT"
	}
	return map[string]any{"error": map[string]any{"code": a.Status, "message": a.Text, "status": status}}
}
