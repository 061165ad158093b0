package simcursor

import (
	"math/rand/v2"
	"slices"
)

// losesAnswers reports whether the answers to the next event are lost. Call it once
// for each event.
func (ch *Chat) losesAnswers(event string) bool {
	options := ch.cursor.cfg.Options
	ch.mu.Lock()
	defer ch.mu.Unlock()
	ch.fired++
	if event == "stop" {
		ch.stops++
		if slices.Contains(options.LoseStops, ch.stops) {
			return true
		}
	}
	if options.LoseOneIn < 1 {
		return false
	}
	chance := rand.New(rand.NewPCG(options.LoseSeed, uint64(ch.fired))) // #nosec G404 G115 -- must be repeatable; counts from 1
	return chance.IntN(options.LoseOneIn) == 0
}

func (r *Run) lose() {
	if r.Answer == nil {
		return
	}
	r.Lost = len(r.Answer) > 0
	r.Stdout, r.Missed = "", r.Stdout
	r.Answer = map[string]any{}
}

// setMissed is for output that was not read to its end, which is not the hook's fault.
func (r *Run) setMissed(rest string) {
	whole, _ := parseAnswer(r.Stdout + rest)
	r.Missed, r.Lost = rest, len(whole) > 0
	if whole != nil {
		r.Problem = ""
	}
}
