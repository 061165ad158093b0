package simcursor

// Tokens counts the tokens of a turn.
type Tokens struct{ Input, Output, CacheRead, CacheWrite int }

// Counting says how stop and afterAgentResponse count tokens.
type Counting int

const (
	ZeroTokens Counting = iota // 0 of each
	TurnTokens                 // those of Spend; no fields after the Stop button
	NoTokens                   // no fields, as in older versions
	TextTokens                 // those of Spend with afterAgentResponse alone
)

// Spend adds to the turn's tokens.
func (t *Turn) Spend(n Tokens) {
	t.check()
	t.spent.Input += n.Input
	t.spent.Output += n.Output
	t.spent.CacheRead += n.CacheRead
	t.spent.CacheWrite += n.CacheWrite
}

func (t *Turn) tokensToReport() *Tokens {
	switch t.Chat.cursor.cfg.Options.Tokens {
	case TurnTokens, TextTokens:
		if t.ctx.Err() == nil {
			return &t.spent
		}
		return nil
	case NoTokens:
		return nil
	}
	return &Tokens{}
}

func (t *Turn) tokensAtStop() *Tokens {
	if t.Chat.cursor.cfg.Options.Tokens == TextTokens {
		return nil
	}
	return t.tokensToReport()
}

func (n *Tokens) in(fields map[string]any) map[string]any {
	if n == nil {
		return fields
	}
	fields["input_tokens"], fields["output_tokens"] = n.Input, n.Output
	fields["cache_read_tokens"], fields["cache_write_tokens"] = n.CacheRead, n.CacheWrite
	return fields
}
