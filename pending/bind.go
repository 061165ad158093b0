package pending

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/cursor-ralph/cursor-ralph/internal/ownfile"
	"github.com/cursor-ralph/cursor-ralph/loop"
)

// BindResult is what became of a loop that was asked for by a token.
type BindResult string

// The results.
const (
	BindNothing  BindResult = ""                    // it was bound already
	BindDone     BindResult = "bound"               // it is the conversation's: Claimed
	BindRefused  BindResult = "second-loop-refused" // a loop runs there
	BindReplaced BindResult = "replaced"            // that loop has ended: Ended, Action; this one is Claimed
)

// Binding is the result of Bind.
type Binding struct {
	Result  BindResult
	Claimed Claimed
	Ended   loop.State
	Action  loop.Action
}

// Bind makes the loop that a token names the live one of a conversation. A
// loop that runs there gives way only if the new one was asked for in its place;
// otherwise the new one is archived. Only the first binding of a token does
// anything.
func (b *Box) Bind(ctx context.Context, token string, who Claimant) (Binding, error) {
	running, _, err := b.store.Apply(ctx, who.ID, loop.Event{})
	if err == nil {
		return b.bindSecond(ctx, token, who, running)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = b.bindFile(ctx, token, who)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Binding{}, nil
	case errors.Is(err, fs.ErrExist): // a loop waits for this conversation: it goes first
		first, err := b.Claim(ctx, who)
		if err != nil {
			return Binding{Claimed: first}, ignore(err, fs.ErrNotExist)
		}
		second, err := b.Bind(ctx, token, who)
		if !second.Claimed.New {
			second.Claimed = first
		}
		return second, err
	case err != nil:
		return Binding{}, err
	}
	claimed, err := b.Claim(ctx, who)
	return Binding{Result: BindDone, Claimed: claimed}, ignore(err, fs.ErrNotExist)
}

func ignore(err, what error) error {
	if errors.Is(err, what) {
		return nil
	}
	return err
}

func (b *Box) bindSecond(ctx context.Context, token string, who Claimant, running loop.State) (Binding, error) {
	item, err := b.byToken(token)
	if err != nil {
		return Binding{}, ignore(err, fs.ErrNotExist)
	}
	same := running.SameTask(item.State)
	if !item.State.Replace || same {
		return b.refuse(ctx, item, who.ID, same)
	}
	if err := b.bindFile(ctx, token, who); err != nil {
		return Binding{}, ignore(err, fs.ErrNotExist) // the hook of another event was faster
	}
	l, action, err := b.store.Apply(ctx, who.ID, loop.Event{Kind: loop.EventReplace})
	if err != nil {
		return Binding{}, err
	}
	claimed, err := b.Claim(ctx, who)
	return Binding{BindReplaced, claimed, l, action}, ignore(err, fs.ErrNotExist)
}

const secondNotice = "A second loop was asked for in this conversation and was not started, because this one runs. To replace it, the user adds --replace."

// refuse archives a second loop. The next continuation says so, unless it asked
// for the very loop that runs.
func (b *Box) refuse(ctx context.Context, item Item, id string, same bool) (Binding, error) {
	err := b.change(ctx, item, func(l loop.State) loop.State {
		l.ConversationID = id
		l.Status, l.EndedAt, l.Reason = loop.Cancelled, b.now(), "a loop ran already in the conversation that asked for it"
		return l
	})
	if err == nil && !same {
		_, _, err = b.store.Apply(ctx, id, loop.Event{Kind: loop.EventNotice, Text: secondNotice})
	}
	if err != nil {
		return Binding{}, ignore(err, fs.ErrNotExist) // refused already
	}
	return Binding{Result: BindRefused}, nil
}

// bindFile renames the unbound file that a token names. The error is
// fs.ErrNotExist after the first time, and fs.ErrExist if the conversation has a
// pending file already.
func (b *Box) bindFile(ctx context.Context, token string, who Claimant) error {
	return b.locked(ctx, func() error {
		i, err := b.byToken(token)
		if err != nil {
			return err
		}
		if _, err := os.Lstat(b.path(who.ID)); err == nil {
			return fs.ErrExist
		}
		if i.record == nil || i.record.Token != token { // the token in the file may be forged
			if err := b.claimable(i, who); err != nil {
				return err
			}
		}
		if err := b.entitle(i, who, i.State.Workspace); err != nil {
			return err
		}
		return ownfile.Rename(i.Path, b.path(who.ID))
	})
}

// byToken returns the unbound file that a token names, or an fs.ErrNotExist.
func (b *Box) byToken(token string) (Item, error) {
	if !IsToken(token) {
		return Item{}, fs.ErrNotExist
	}
	stem, _, _ := strings.Cut(token, ":")
	i := b.item(stem, b.path(stem))
	if i.Err == nil && (i.State.Token != token || i.State.Status.Ended()) {
		return i, fs.ErrNotExist
	}
	return i, i.Err
}

// IsToken reports whether a token names an unbound file, by its form.
func IsToken(token string) bool {
	stem, _, ok := strings.Cut(token, ":")
	return ok && loop.IsForAnyChat(stem)
}

// FindToken returns the token in the output of a command that ran cursor-ralph,
// or an empty string.
func FindToken(output string) string {
	_, after, ok := strings.Cut(output, TokenLine)
	if !ok {
		return ""
	}
	end := strings.IndexFunc(after, func(c rune) bool {
		return !(c == ':' || c == '-' || c == '.' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z')
	})
	if end < 0 {
		end = len(after)
	}
	return after[:end]
}
