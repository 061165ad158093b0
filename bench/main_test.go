package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestBenchMeasuresTheFloorAgainstItself(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(strings.Fields("-self -n 2 -warmup 1 -crowd 3 -json"), &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr.String())
	}
	var got result
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
		t.Fatalf("%v in:\n%s", err, stdout.String())
	}
	if len(got.Rows) < 10 || got.Hook.Bytes == 0 || got.Hook.Bytes != got.Floor.Bytes {
		t.Errorf("got %+v", got)
	}
	for _, r := range got.Rows {
		if r.Floor <= 0 || r.Median <= 0 || r.Ratio <= 0 || (r.Others > 0) != (r.VsAlone > 0) {
			t.Errorf("got row %+v", r)
		}
	}
}

func TestBenchRefusesAnAnswerThatDoesNotFit(t *testing.T) {
	for _, tt := range []struct {
		name   string
		fits   func([]byte) error
		answer string
		ok     bool
	}{
		{"nothing to say", empty, "{}\n", true},
		{"nothing said", empty, "", false},
		{"something said without a loop", empty, `{"followup_message":"x"}`, false},
		{"a tool event may have an answer", quiet, `{"additional_context":"x"}`, true},
		{"but no follow-up", quiet, `{"followup_message":"x"}`, false},
		{"a loop goes on", followUp, `{"followup_message":"x"}`, true},
		{"a loop stood still", followUp, `{}`, false},
		{"not JSON", followUp, `oops`, false},
	} {
		if err := tt.fits([]byte(tt.answer)); (err == nil) != tt.ok {
			t.Errorf("%s: got %v, want ok %t", tt.name, err, tt.ok)
		}
	}
}

func TestQuantileLiesBetweenTheTimes(t *testing.T) {
	times := []time.Duration{4 * time.Millisecond, 1 * time.Millisecond, 3 * time.Millisecond, 2 * time.Millisecond}
	for q, want := range map[float64]float64{0: 1, 0.5: 2.5, 1: 4} {
		if got := quantile(times, q); got != want {
			t.Errorf("quantile %v: got %v, want %v", q, got, want)
		}
	}
}
