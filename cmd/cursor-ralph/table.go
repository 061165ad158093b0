package main

import (
	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/checkpoints"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/doctor"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/events"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/importer"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/install"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/notify"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/render"
	runcmd "github.com/cursor-ralph/cursor-ralph/internal/cli/run"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/simulate"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/words"
)

// group is a part of help.
type group struct {
	title    string
	commands []command
}

// forPrograms is the group of commands that agents, hooks and their authors run. Only
// help --all shows it.
const forPrograms = "For agents and hooks"

// groups lists the commands in the order of help.
func groups() []group {
	return []group{
		{"Start", []command{
			{name: "start", args: `"<task>"`, anyArgs: true, summary: "start a loop in a Cursor chat", flags: startFlags, run: start,
				details: "It prints the line that begins the loop in any chat. Otherwise the next chat of this workspace whose agent\nstops takes it. If the agent of a chat runs this, that chat has the loop at once.\n--no-NAME, such as --no-verify, turns off an option that your settings turn on.",
				example: `start "make the tests pass" --max-iterations 10`},
			{name: "run", args: `"<task>"`, anyArgs: true, summary: "run an agent in a loop without Cursor, until its task is done", flags: runcmd.Flags, run: in(runcmd.Run), long: true,
				details: "The agent works in the current folder; the run keeps its task and state in .ralph there, which git ignores.\nCtrl-C ends it cleanly and --resume continues it; a second Ctrl-C ends it at once. Exit code 0 means that the\npromise was accepted.",
				example: `run "make the tests pass" --agent claude --permissions edits --verify "make test"`},
			{name: "loop-mode", args: "on|off|status", summary: "treat every chat message in this workspace as a task to loop on", flags: loopModeFlags, run: loopMode,
				details: "While it is on, a message in a chat without a loop starts one. `on` takes the options of `start` too.",
				example: "loop-mode on --max-iterations 10"},
			{name: "import", args: "[file]", summary: "take over a loop of Cursor's ralph-loop plugin, or of an older tool", flags: importer.Flags, run: in(importer.Run),
				details: "The other tool's file is renamed, so that only one of the two continues the loop.", example: "import --dry-run"},
			{name: "demo", summary: "show a whole loop in a scratch folder, without Cursor", flags: simulate.DemoFlags, run: in(simulate.Demo), long: true, example: "demo"},
		}},
		{"Watch", []command{
			{name: "status", args: "[id]", summary: "show the loop, or how the last one ended", flags: render.StatusFlags, run: in(render.Status), example: "status --line"},
			{name: "list", summary: "list the current loops", flags: render.ListFlags, run: in(render.List), example: "list --all"},
			{name: "watch", args: "[id]", summary: "show all loops in the terminal and steer them with keys", run: watch, long: true,
				details: "The screen follows the loops as they change; ? shows the keys.", example: "watch"},
			{name: "log", args: "[id]", summary: "show what the hook decided and why", flags: render.LogFlags, run: in(render.Log), example: "log --lines 50"},
		}},
		{"Steer", []command{
			{name: "pause", args: "[id]", summary: "pause a loop at its next stop", run: pause, example: "pause"},
			{name: "resume", args: "[id]", summary: "resume a paused loop", flags: resumeFlags, run: resume, long: true,
				example: "resume --inject"},
			{name: "continue", args: "[id]", summary: "continue a loop in a new session, even one that was stopped", flags: continueFlags, run: cont, long: true,
				example: "continue 3f2a --max-iterations 40"},
			{name: "cancel", args: "[id]", summary: "end a loop at once", flags: cancelFlags, run: cancel, example: "cancel"},
			{name: "context", args: `[id] "<text>"`, summary: "add something to what the agent reads at its next continuation", run: addContext,
				example: `context "the database is on port 5433"`},
		}},
		{"Review", []command{
			{name: "history", args: "[id]", summary: "show the iterations of a loop", flags: render.HistoryFlags, run: in(render.History),
				details: "Without an id and without a current loop, it shows the loop that ended last in this folder.", example: "history --verbose"},
			{name: "report", args: "[id]", summary: "print a report about a loop in Markdown, for a pull request", flags: cli.JSONFlag, run: in(render.Report),
				details: "Without an id and without a current loop, it is about the loop that ended last in this folder.", example: "report > report.md"},
			{name: "checkpoints", args: "[id]", summary: "list the checkpoints of a loop", flags: cli.JSONFlag, run: in(checkpoints.List), long: true,
				details: "A checkpoint is the work tree after an iteration, kept as a commit beside your branches; 0 is the one before the\nfirst iteration, r1 the one before the first restore. The loop has them with --checkpoints.", example: "checkpoints"},
			{name: "diff", args: "[id] [n[..m]]", summary: "show what an iteration changed", flags: checkpoints.DiffFlags, run: in(checkpoints.Diff), long: true,
				details: "Without n it is the last iteration. With n..m it is all from checkpoint n to m, or to the last one without m.", example: "diff 0.. --stat"},
			{name: "restore", args: "[id] <n>", summary: "bring the files back to a checkpoint", flags: checkpoints.RestoreFlags, run: in(checkpoints.Restore), long: true,
				details: "What is there becomes a checkpoint first. Only files that differ are touched, and none that git ignores; the index\nand HEAD stay. A running loop has to be paused or ended first.", example: "restore 0 --dry-run"},
		}},
		{"Set up", []command{
			{name: "install", args: "[vsix]", summary: "install the hook and the slash commands into Cursor", flags: install.Flags, run: in(install.Install),
				details: "With --extension it installs the editor extension: the .vsix that it finds beside itself or in its share folder, or\nthe one that is named.",
				example: "install --dry-run"},
			{name: "uninstall", summary: "remove the hook and the slash commands from Cursor", flags: install.UninstallFlags, run: in(install.Uninstall), example: "uninstall"},
			{name: "doctor", summary: "check the installation, the files and this machine", flags: doctor.Flags, run: in(doctor.Run), long: true, example: "doctor"},
			{name: "config", summary: "show every setting and where its value comes from", flags: configFlags, run: showConfig,
				details: "Flags beat the environment, the environment beats the file, and the file beats the built-in values.", example: "config"},
			{name: "prune", summary: "remove the records of loops that ended long ago", flags: pruneFlags, run: prune, long: true,
				details: "This happens by itself when a loop ends. Records of loops that have not ended stay.", example: "prune --older-than 30d --dry-run"},
			{name: "completion", args: "bash|zsh|fish|powershell", summary: "print a completion script", run: completion,
				details: "bash: source <(cursor-ralph completion bash) in ~/.bashrc\nzsh: source <(cursor-ralph completion zsh) in ~/.zshrc, after compinit\nfish: cursor-ralph completion fish > ~/.config/fish/completions/cursor-ralph.fish\npowershell: cursor-ralph completion powershell | Out-String | Invoke-Expression in your $PROFILE",
				example: "completion bash"},
			{name: "simulate", args: "<hooks.json>", anyArgs: true, summary: "show what Cursor would do with a hooks.json, without Cursor", flags: simulate.Flags, run: in(simulate.Run), long: true,
				details: "A simulated Cursor plays a scripted session. The hooks really run, with your home folder; the edits and commands\nof the session happen in an empty folder, or in --workspace. Loops that it starts are gone at the end, and\n`cursor-ralph list` does not show them. Exit code 1 means that Cursor would drop the file, or that hooks failed.",
				example: "simulate .cursor/hooks.json"},
			{name: "version", summary: "print the version", flags: cli.JSONFlag, run: version, example: "version"},
		}},
		{forPrograms, []command{
			{name: "note", args: `[id] "<text>"`, summary: "record progress (for the agent)", run: note, example: `note "parser done, printer next"`},
			{name: "blocked", args: `[id] "<why>"`, summary: "end a loop that cannot go on (for the agent)", run: blocked,
				example: `blocked "the API key is missing"`},
			{name: "task", args: "[id]", summary: "print the task of a loop, word for word (for the agent)", run: task, example: "task 3f2a"},
			{name: "slash", args: "<command>", summary: "run a slash command; its text is on standard input", long: true, run: slash,
				example: "slash ralph-loop"},
			{name: "events", summary: "print every change of a loop as a line of JSON, for programs", flags: events.Flags, run: in(events.Run), long: true,
				details: "First a line per loop, then {\"type\":\"ready\"}, then a line per change, until the reader goes away. The newest cursor\nresumes: with --after only what changed since is printed, or all loops again, and ready says which. The form of the\nlines is in docs/schema/event.schema.json.",
				example: "events --json | head -1"},
			{name: "hook-events", args: "[event]", summary: "print a sample of the input that a hook gets for each event", flags: cli.JSONFlag, run: hookEvents,
				example: "hook-events stop | ./my-hook"},
			{name: "suggest-verify", summary: "print the commands that may fit --verify here", flags: cli.JSONFlag, run: suggestVerify, example: "suggest-verify --json"},
			{name: "inject", args: "<id>", anyArgs: true, summary: "type the continue line of a loop into Cursor (the hook runs this)", long: true,
				flags: injectFlags, run: inject, example: "inject 3f2a --dry-run"},
			{name: "rendezvous", summary: "print the folder in which editor windows announce themselves (the extension runs this)", run: rendezvous,
				example: "rendezvous"},
			{name: "editor", summary: "remember what works in an editor; a report is on standard input (the extension runs this)", long: true, flags: editorFlags, run: editor,
				example: "editor"},
			{name: "checkpoint-file", args: "<id> <n> <file>", summary: "print a file as it was at the checkpoint of an iteration (the extension runs this)", flags: checkpointFileFlags, run: checkpointFile,
				example: "checkpoint-file k7f2 3 main.go"},
			{name: "verify", args: "<id>", anyArgs: true, summary: "run the verification of a loop (the hook runs this)", long: true,
				flags: verifyFlags, run: verifyLoop, example: "verify 3f2a"},
			{name: "survey", summary: "look at the tasks and the work tree of a loop (the hook runs this)", long: true,
				flags: surveyFlags, run: surveyLoop, example: "survey --begin"},
			{name: "supervise", args: "-- <command>...", anyArgs: true, summary: "run a command that must not outlive its caller (run runs this)", long: true, run: superviseCommand,
				example: "supervise -- true"},
			{name: "words", summary: "fill in a prompt template (the hook runs this)", long: true, run: in(words.Run), example: "words"},
			{name: "guard", args: "[id] [injection]", summary: "report the death of a process that types (inject runs this)", long: true, run: guard, example: "guard"},
			{name: "watcher", summary: "notice lost follow-ups and stalled loops while a loop runs (the hook runs this)", long: true, flags: watcherFlags, run: runWatcher,
				example: "watcher"},
			{name: "on-end", args: "<conversation> <id>", anyArgs: true, summary: "run the command of --on-end (the hook runs this)", long: true, run: onEnd, example: "on-end 3f2a k7f2m"},
			{name: "notify", args: "[id]", summary: "send a notice about a loop (the hook runs this)", flags: notify.Flags, run: in(notify.Run),
				example: "notify --test"},
			{name: "__complete", args: "=<word> [words...]", anyArgs: true, summary: "print what fits at the cursor (completion scripts run this)", flags: onlyFirst, run: complete,
				example: "__complete =sta"},
			{name: "man", summary: "print the manual page as Markdown (the build converts it)", run: man, example: "man"},
		}},
	}
}

// table lists all commands.
func table() (all []command) {
	for _, g := range groups() {
		all = append(all, g.commands...)
	}
	return all
}
