// Package simcursor is a simulated Cursor: it loads hooks.json files, runs
// their hooks, and plays chats with a scripted agent, as strictly as the real
// editor does. End-to-end tests and the demo run the real binaries under it.
//
// It is not an implementation of a hook and shares no code with ours: it was
// written from the protocol alone, so that a mistake in our reading of the
// wire shows here instead of being made twice.
//
//	cursor, err := simcursor.New(simcursor.Config{Home: home, Workspace: repo, Env: env})
//	chat := cursor.Chat(func(t *simcursor.Turn) {
//		t.Shell("go test ./...")
//		t.Say("All green.")
//	})
//	err = chat.Send(ctx, "make it green") // returns when all follow-ups are done
//	chat.Messages()                       // what reached the model, in order
//	cursor.Violations()                   // what the hooks did against the protocol
//
// What is certain about Cursor is fixed. What is not known, or differs from
// version to version, is an [Options] field; the zero Options is the Cursor
// observed most. Where neither is known, the stricter reading is taken: a
// matcher that is no regular expression drops its file (Go's syntax counts, so
// a look-ahead does too), comments must come out the same whether line or
// block comments are stripped first, and input that a hook left unread is a
// violation whether or not the pipe happened to break.
//
// Answers are merged in the order plugins, project, user, team, enterprise. Of
// plugins there are the local ones, with their hooks and commands; Claude-style
// settings are left out, as are entries of type "prompt" (they need a model)
// and updated_input. hooks.json is read anew at every event, as the editor
// follows changes of it.
//
// Config.Fired is told each event with its entries, for people who want to see
// what their own hooks do; Samples has a payload of each event.
package simcursor
