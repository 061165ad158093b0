package outer

// Policy is what an agent may do. The zero value is PolicyNone.
type Policy string

// The policies, as --permissions takes them.
const (
	PolicyNone  Policy = "none"  // nothing that the agent would have to ask for
	PolicyEdits Policy = "edits" // reading and editing in the workspace
	PolicyAsk   Policy = "ask"   // the user decides about each request
	PolicyAll   Policy = "all"   // everything
)
