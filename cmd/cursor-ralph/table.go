package main

import "github.com/spf13/pflag"

// table lists the commands in the order of help.
func table() []command {
	return []command{
		{name: "start", args: `"<task>"`, summary: "start a loop for the next chat of this workspace", flags: startFlags, run: start,
			details: "The next chat of this workspace whose agent stops takes the loop; inside a chat it is bound to that chat.",
			example: `start "make the tests pass" --max-iterations 10`},
		{name: "continue", args: "[id]", summary: "go on with a loop in a new session, also with one that was stopped", flags: continueFlags, run: cont, long: true,
			example: "continue 3f2a --max-iterations 40"},
		{name: "status", args: "[id]", summary: "show one loop", flags: statusFlags, run: status, example: "status --line"},
		{name: "list", summary: "list the loops that run or wait", flags: listFlags, run: list, example: "list --all"},
		{name: "pause", args: "[id]", summary: "pause a loop at its next stop", run: pause, example: "pause"},
		{name: "resume", args: "[id]", summary: "set a paused loop going again", flags: resumeFlags, run: resume, long: true,
			example: "resume --inject"},
		{name: "cancel", args: "[id]", summary: "end a loop at once", run: cancel, example: "cancel"},
		{name: "loop-mode", args: "on|off|status", summary: "make a loop of each ordinary message in this workspace", flags: loopModeFlags, run: loopMode,
			details: "While it is on, a message in a chat without a loop starts one. The options of on are those of the loops.",
			example: "loop-mode on --max-iterations 10"},
		{name: "context", args: `[id] "<text>"`, summary: "tell the agent something with its next continuation", run: addContext,
			example: `context "the database is on port 5433"`},
		{name: "note", args: `[id] "<text>"`, summary: "record progress (for the agent)", run: note, example: `note "parser done, printer next"`},
		{name: "blocked", args: `[id] "<why>"`, summary: "end a loop that cannot go on (for the agent)", run: blocked,
			example: `blocked "the API key is missing"`},
		{name: "history", args: "[id]", summary: "show the iterations of a loop", flags: historyFlags, run: history,
			details: "Without an id, where no loop runs or waits, it is that of the one that ended last in this folder.", example: "history --verbose"},
		{name: "report", args: "[id]", summary: "write about a loop in Markdown, for a pull request", run: report,
			details: "Without an id, where no loop runs or waits, it is about the one that ended last in this folder.", example: "report > report.md"},
		{name: "import", args: "[file]", summary: "take over a loop of Cursor's ralph-loop plugin, or of an older tool", flags: importFlags, run: importLoop,
			details: "The other tool's file is renamed, so that it does not go on with the loop too.", example: "import --dry-run"},
		{name: "log", args: "[id]", summary: "show what the hook decided, and why", flags: logFlags, run: showLog, example: "log --lines 50"},
		{name: "install", summary: "install the hook and the slash commands into Cursor", flags: installFlags, run: install,
			example: "install --dry-run"},
		{name: "uninstall", summary: "take out what install put in", flags: uninstallFlags, run: uninstall, example: "uninstall"},
		{name: "config", summary: "show every setting and where its value comes from", flags: configFlags, run: showConfig,
			details: "Flags beat the environment, which beats the file, which beats what is built in.", example: "config"},
		{name: "doctor", summary: "check everything that can be wrong", flags: doctorFlags, run: doctor, long: true, example: "doctor"},
		{name: "demo", summary: "show a whole loop in a scratch folder, without Cursor", flags: demoFlags, run: demo, long: true, example: "demo"},
		{name: "completion", args: "bash|zsh|fish|powershell", summary: "print a completion script", run: completion,
			example: "completion bash"},
		{name: "version", summary: "print the version", run: version, example: "version"},
		{name: "slash", args: "<command>", summary: "do what a slash command says; its text comes on standard input", hidden: true, long: true, run: slash,
			example: "slash ralph-loop"},
		{name: "inject", args: "<id>", summary: "type the continue line of a loop into Cursor (the hook runs this)", hidden: true, long: true,
			flags: injectFlags, run: inject, example: "inject 3f2a --dry-run"},
		{name: "verify", args: "<id>", summary: "run the verification of a loop (the hook runs this)", hidden: true, long: true,
			flags: verifyFlags, run: verify, example: "verify 3f2a"},
		{name: "words", summary: "fill in a prompt template (the hook runs this)", hidden: true, long: true, run: fillWords, example: "words"},
		{name: "guard", args: "[id injection]", summary: "watch over a process that types (inject runs this)", hidden: true, long: true, run: guard, example: "guard"},
		{name: "notify", args: "[id]", summary: "show a notification about a loop (the hook runs this)", hidden: true, flags: notifyFlags, run: notify,
			example: "notify"},
	}
}

func jsonFlag(f *pflag.FlagSet) { f.Bool("json", false, "print JSON") }
