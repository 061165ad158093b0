package loop

// Fold folds a journal for a turn of any generation.
func Fold(journal []byte, seen []string) Turn { return folding{seen: seen}.read(journal) }

// FoldBefore folds the part of a journal before the user's last message.
func FoldBefore(journal []byte, seen []string) Turn {
	return folding{seen: seen}.read(beforeMessage(journal))
}

// FollowupWait is how long a follow-up may take.
const FollowupWait = followupWait
