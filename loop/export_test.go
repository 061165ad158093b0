package loop

// TurnIn reads a journal for a turn of any generation.
func TurnIn(journal []byte, seen []string) Turn { return reading{seen: seen}.read(journal) }

// TurnBefore reads the part of a journal before the user's last message.
func TurnBefore(journal []byte, seen []string) Turn {
	return reading{seen: seen}.read(beforeMessage(journal))
}

// FollowupWait is how long a follow-up may take.
const FollowupWait = followupWait
