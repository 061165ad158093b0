// Package simcursor is a simulated Cursor: it loads hooks.json files, runs their
// hooks and plays chats with a scripted agent, as strictly as the real editor.
// End-to-end tests and the demo run real hooks under it.
//
// It shares no code with our hook. It was written from the protocol, so that a
// misreading of the protocol shows here instead of being made twice.
//
// The example shows a whole chat.
//
// What is certain about Cursor is fixed. What is unknown or differs between
// versions is an [Options] field; the zero Options is the most common Cursor.
// Otherwise the stricter reading applies: a matcher must be a regular expression in
// Go (so a look-ahead drops the file), comments must be the same whichever kind is
// stripped first, and unread input is a violation even if the pipe did not break.
//
// Answers are merged in the order plugins, project, user. Plugins
// are the local ones with their hooks and commands. Not simulated: Claude's settings,
// entries of type "prompt" (they need a model) and updated_input. hooks.json is read
// again at every event, since the editor follows changes.
package simcursor
