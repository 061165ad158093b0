package main

import (
	"github.com/spf13/cobra"

	"github.com/cursor-ralph/cursor-ralph/internal/cli"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/checkpoints"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/doctor"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/events"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/install"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/notify"
	"github.com/cursor-ralph/cursor-ralph/internal/cli/render"
	runcmd "github.com/cursor-ralph/cursor-ralph/internal/cli/run"
)

const withoutID = "Without an id and without a current loop, it is about the loop that ended last in this folder."

// addCommands adds all commands, those that our own programs call hidden.
func (e *env) addCommands(root *cobra.Command) {
	add := func(group string, list ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: group, Title: group + ":"})
		for _, c := range list {
			c.GroupID = group
		}
		root.AddCommand(list...)
	}
	add("Start",
		e.lineCommand(startFlags, brief(start), &cobra.Command{Use: `start "<task>"`, Short: "start a loop in a Cursor chat",
			Long:    "It prints the line that begins the loop in a chat. An agent must not run this: the line is yours to send.\n--no-NAME, such as --no-verify, turns off an option that your settings turn on.",
			Example: `start "make the tests pass" --max-iterations 10`}),
		e.lineCommand(runcmd.Flags, in(runcmd.Run), &cobra.Command{Use: `run "<task>"`, Short: "run an agent in a loop without Cursor, until its task is done",
			Long:    "The agent works in the current folder. Ctrl-C ends it cleanly and --resume continues it; a second Ctrl-C ends it\nat once. Exit code 0 means that the promise was accepted.",
			Example: `run "make the tests pass" --agent claude --permissions edits --verify "make test"`}),
		e.command(loopModeFlags, brief(loopMode), &cobra.Command{Use: "loop-mode on|off|status", Short: "treat every chat message in this workspace as a task to loop on",
			Long:    "While it is on, a message in a chat without a loop starts one. `on` takes the options of `start` too.",
			Example: "loop-mode on --max-iterations 10"}),
	)
	add("Watch",
		e.command(cli.JSONFlag, in(render.Status), &cobra.Command{Use: "status [id]", Short: "show the loop, or how the last one ended",
			Example: "status --json"}),
		e.command(render.ListFlags, in(render.List), &cobra.Command{Use: "list", Short: "list the current loops",
			Example: "list --all"}),
		e.command(nil, watch, &cobra.Command{Use: "watch [id]", Short: "show all loops in the terminal and steer them with keys",
			Long:    "The screen follows the loops as they change; ? shows the keys.",
			Example: "watch"}),
		e.command(render.LogFlags, in(render.Log), &cobra.Command{Use: "log [id]", Short: "show what the hook decided and why",
			Example: "log --lines 50"}),
	)
	add("Steer",
		e.command(nil, pause, &cobra.Command{Use: "pause [id]", Short: "pause a loop at its next stop",
			Example: "pause"}),
		e.command(resumeFlags, resume, &cobra.Command{Use: "resume [id]", Short: "resume a paused loop",
			Example: "resume --type"}),
		e.command(continueFlags, cont, &cobra.Command{Use: "continue [id]", Short: "continue a loop in a new session, even one that was stopped",
			Example: "continue k7f2m --max-iterations 40"}),
		e.command(cancelFlags, cancel, &cobra.Command{Use: "cancel [id]", Short: "end a loop at once",
			Example: "cancel"}),
		e.command(setFlags, set, &cobra.Command{Use: "set [id]", Short: "change limits and gates of a loop, also while it runs",
			Long:    "What counts is what the loop has when its agent stops. --no-NAME, such as --no-verify, takes a limit or a gate away.",
			Example: "set k7f2m --max-iterations 40 --verify \"make test\""}),
		e.command(nil, addContext, &cobra.Command{Use: `context [id] "<text>"`, Short: "add something to what the agent reads at its next continuation",
			Example: `context "the database is on port 5433"`, Args: cobra.ArbitraryArgs}),
	)
	add("Review",
		e.command(cli.JSONFlag, in(render.History), &cobra.Command{Use: "history [id]", Short: "show the iterations of a loop",
			Long:    withoutID,
			Example: "history"}),
		e.command(render.ReportFlags, in(render.Report), &cobra.Command{Use: "report [id]", Short: "print a report about a loop: Markdown for a pull request, or a page",
			Long:    withoutID,
			Example: "report > report.md"}),
		e.command(checkpoints.DiffFlags, in(checkpoints.Diff), &cobra.Command{Use: "diff [id] [n[..m]] [file...]", Short: "list the checkpoints of a loop, or show what an iteration changed",
			Long:    "A checkpoint is the work tree after an iteration, kept as a commit beside your branches; 0 is the one before the\nfirst iteration, r1 the one before the first restore. The loop has them with --checkpoints. Without n they are\nlisted. With n it is what iteration n changed, with n..m all from checkpoint n to m, or to the last one without m.\nWith files or folders it is only these, of the last iteration without n.",
			Example: "diff 0.. --stat"}),
		e.command(checkpoints.RestoreFlags, in(checkpoints.Restore), &cobra.Command{Use: "restore [id] <n> [file...]", Short: "bring files back to a checkpoint",
			Long:    "What is there becomes a checkpoint first. Only files that differ are touched, and none that git ignores, or ignored\nwhen the loop began; the index and HEAD stay. With files or folders it brings back only these. A running loop has to\nbe paused or ended first.",
			Example: "restore 0 --dry-run"}),
	)
	add("For the agent",
		e.command(nil, note, &cobra.Command{Use: `note [id] "<text>"`, Short: "record progress",
			Example: `note "parser done, printer next"`, Args: cobra.ArbitraryArgs}),
		e.command(nil, blocked, &cobra.Command{Use: `blocked [id] "<why>"`, Short: "end a loop that cannot go on",
			Example: `blocked "the API key is missing"`, Args: cobra.ArbitraryArgs}),
		e.command(nil, task, &cobra.Command{Use: "task [id]", Short: "print the task of a loop, word for word",
			Example: "task k7f2m"}),
	)
	add("Set up",
		e.command(install.Flags, brief(in(install.Install)), &cobra.Command{Use: "install [vsix]", Short: "install the hook and the slash commands into Cursor",
			Long:    "With --extension it installs the editor extension: the .vsix that it finds beside itself or in its share folder, or\nthe one that is named.",
			Example: "install --dry-run"}),
		e.command(install.UninstallFlags, brief(in(install.Uninstall)), &cobra.Command{Use: "uninstall", Short: "remove the hook and the slash commands from Cursor",
			Example: "uninstall"}),
		e.command(doctor.Flags, in(doctor.Run), &cobra.Command{Use: "doctor", Short: "check the installation, the files and this machine",
			Example: "doctor"}),
		e.command(configFlags, showConfig, &cobra.Command{Use: "config", Short: "show every setting and where its value comes from",
			Long:    "Flags beat the file, and the file beats the built-in values.",
			Example: "config"}),
		e.command(cli.JSONFlag, version, &cobra.Command{Use: "version", Short: "print the version",
			Example: "version"}),
		e.command(events.Flags, in(events.Run), &cobra.Command{Use: "events", Short: "print every change of a loop as a line of JSON, for programs",
			Long:    "First a line per loop, then {\"type\":\"ready\"}, then a line per change, until the reader goes away. The newest cursor\nresumes: with --after only what changed since is printed, or all loops again, and ready says which. The form of the\nlines is in docs/schema/event.schema.json.",
			Example: "events --json | head -1"}),
	)
	root.SetHelpCommandGroupID("Set up")
	root.SetCompletionCommandGroupID("Set up")
	for _, c := range []*cobra.Command{
		e.command(pruneFlags, prune, &cobra.Command{Use: "prune", Short: "remove the records of loops that ended long ago (the hook runs this)",
			Example: "prune --auto"}),
		e.command(notify.Flags, in(notify.Run), &cobra.Command{Use: "notify <id>", Short: "send a notice about a loop (the hook runs this)",
			Example: "notify k7f2m", Args: cobra.ArbitraryArgs}),
		e.command(injectFlags, inject, &cobra.Command{Use: "inject <id>", Short: "type the continue line of a loop into Cursor (the hook runs this)",
			Example: "inject k7f2m --dry-run", Args: cobra.ArbitraryArgs}),
		e.command(nil, slash, &cobra.Command{Use: "slash <command>", Short: "run a slash command; its text is on standard input",
			Example: "slash ralph-loop"}),
		e.command(nil, rendezvous, &cobra.Command{Use: "rendezvous", Short: "print the folder in which editor windows announce themselves (the extension runs this)",
			Example: "rendezvous"}),
		e.command(editorFlags, editor, &cobra.Command{Use: "editor", Short: "remember what works in an editor; a report is on standard input (the extension runs this)",
			Example: "editor"}),
		e.command(formFlags, form, &cobra.Command{Use: "form", Short: "print the document in which the extension starts a loop, or read one (the extension runs this)",
			Example: "form"}),
		e.command(checkpointFileFlags, checkpointFile, &cobra.Command{Use: "checkpoint-file <id> <n> <file>", Short: "print a file as it was at the checkpoint of an iteration (the extension runs this)",
			Example: "checkpoint-file k7f2m 3 main.go"}),
		e.command(verifyFlags, verifyLoop, &cobra.Command{Use: "verify <id>", Short: "run the verification of a loop (the hook runs this)",
			Example: "verify k7f2m", Args: cobra.ArbitraryArgs}),
		e.command(nil, superviseCommand, &cobra.Command{Use: "supervise -- <command>...", Short: "run a command that must not outlive its caller (run runs this)",
			Example: "supervise -- true", Args: cobra.ArbitraryArgs}),
		e.command(nil, runWatcher, &cobra.Command{Use: "watcher", Short: "notice lost follow-ups and stalled loops while a loop runs (the hook runs this)",
			Example: "watcher"}),
		e.command(nil, onEnd, &cobra.Command{Use: "on-end <conversation> <id>", Short: "run the command of --on-end (the hook runs this)",
			Example: "on-end chat-1 k7f2m", Args: cobra.ArbitraryArgs}),
	} {
		c.Hidden = true
		root.AddCommand(c)
	}
}
