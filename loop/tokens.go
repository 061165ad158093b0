package loop

import "strconv"

// TokensOf returns the tokens that an agent reports. A number that cannot be true
// counts as none; where neither input nor output is left, they are unknown: nil.
func TokensOf(input, output, cacheRead, cacheWrite int64) *Tokens {
	t := Tokens{plausible(input), plausible(output), plausible(cacheRead), plausible(cacheWrite)}
	if t.Input == 0 && t.Output == 0 {
		return nil
	}
	return &t
}

// checked leaves out what cannot be true.
func (t *Tokens) checked() *Tokens {
	if t == nil {
		return nil
	}
	return TokensOf(t.Input, t.Output, t.CacheRead, t.CacheWrite)
}

func plausible(n int64) int64 {
	if n < 0 || n > maxMaxTokens {
		return 0
	}
	return n
}

// Plus adds tokens to others. Nil is unknown, and adds nothing.
func (t *Tokens) Plus(more *Tokens) *Tokens {
	switch {
	case more == nil:
		return t
	case t == nil:
		sum := *more
		return &sum
	}
	return &Tokens{added(t.Input, more.Input), added(t.Output, more.Output), added(t.CacheRead, more.CacheRead), added(t.CacheWrite, more.CacheWrite)}
}

// added cannot overflow, whatever somebody wrote into the file.
func added(a, b int64) int64 {
	const most = maxMaxTokens << 10
	return min(max(a, 0), most) + min(max(b, 0), most)
}

// addTokens adds those of a turn of the loop.
func (s *State) addTokens(t Turn) { s.Tokens = s.Tokens.Plus(t.Tokens) }

// hasMaxTokens reports whether the sum of tokens has reached its limit.
func (s *State) hasMaxTokens() bool {
	return s.MaxTokens > 0 && s.Tokens != nil && s.Tokens.Sum() >= s.MaxTokens
}

func countTokens(n int64) string { return strconv.FormatInt(n, 10) + " tokens" }

// reported is what the texts of a turn, and the driver of a run, report. The
// editor reports the tokens of the whole turn with each text: of several the last
// counts. With a stop that has its own, those of its turn do not count as well.
type reported struct {
	sum        *Tokens // of earlier turns, and what the driver reported
	last       *Tokens // of the turn that the newest text belongs to
	generation string
}

func (t *reported) add(r Record) {
	switch {
	case r.Tokens == nil:
	case r.Kind == RecordTokens:
		t.sum = t.sum.Plus(r.Tokens)
	default:
		if t.generation != r.Generation {
			t.next()
		}
		t.last, t.generation = r.Tokens, r.Generation
	}
}

// next begins another turn.
func (t *reported) next() { t.sum, t.last = t.sum.Plus(t.last), nil }

// with returns all of them, for the end of a turn that has these.
func (t *reported) with(stop *Tokens, generation string) *Tokens {
	if stop != nil && t.generation == generation {
		t.last = nil
	}
	return t.sum.Plus(t.last).Plus(stop)
}

// isCounted reports whether a text repeats what the last stop had: its hook came
// late.
func (m StopMark) isCounted(r Record, generation string) bool {
	if m.Tokens == nil || r.Tokens == nil || r.Kind != RecordText || r.Generation != m.Generation {
		return false
	}
	return *r.Tokens == *m.Tokens || generation != "" && r.Generation != generation
}
