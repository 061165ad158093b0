package loop

// ActionKind is what is to be done after the state was saved.
type ActionKind string

// The actions. The zero Action rests: the editor gets {} and nothing happens.
const (
	Rest      ActionKind = ""
	Followup  ActionKind = "followup"   // answer with Text
	HandOver  ActionKind = "hand-over"  // answer with Text, the last one: then the user has to type
	Inject    ActionKind = "inject"     // have the continue line typed, when this turn is over
	AwaitText ActionKind = "await-text" // nothing was decided: wait for the text, then ask again
	AskTyping ActionKind = "ask-typing" // nothing was decided: find out whether typing is possible, then ask again
	AskVerify ActionKind = "ask-verify" // only that the promise is to be verified: do it without the loop's lock, then ask again with the result
	Again     ActionKind = "again"      // an outer loop: give the same turn once more, at RetryAt
	AskWords  ActionKind = "ask-words"  // nothing was decided: fill the loop's prompt template with Words, then ask again
	Refuse    ActionKind = "refuse"     // the request is not possible, for Reason; Hint says what to do
	Notify    ActionKind = "notify"     // notify the user of Reason
)

// Action is what Decide wants done.
type Action struct {
	Kind    ActionKind
	Text    string // for the agent
	Reason  Reason // why
	Detail  string // what Reason is about, such as a number or a time
	Hint    string // what to do about a refusal
	Line    string // what to send in the chat about it
	Words   *Words // of AskWords
	Promise string // none, accepted, or refused and why; empty where none was looked for
	Warning string // for the log: something else was noticed

	Delivery Delivery // at a stop: what became of the follow-up before it, if it was open until now
}

// Why puts the reason into words, for the log and the user.
func (a Action) Why() string { return a.Reason.words(a.Detail) }
