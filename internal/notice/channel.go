package notice

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/nicholas-fedor/shoutrrr/pkg/router"

	"github.com/cursor-ralph/cursor-ralph/internal/config"
)

// Channel is where notices go: desktop, command:CMD, or the URL of a service.
type Channel string

const (
	desktop = "desktop"
	command = "command:"
)

// String returns the channel without what may be a password.
func (c Channel) String() string { return config.WithoutSecret(string(c)) }

// Channels returns those of a setting, one a line.
func Channels(setting string) (all []Channel) {
	for _, line := range config.Lines(setting) {
		all = append(all, Channel(line))
	}
	return all
}

// IsDesktop reports whether the channel is the desktop of this machine.
func (c Channel) IsDesktop() bool { return c == desktop }

// Reaches reports whether some of the channels are not the desktop.
func Reaches(all []Channel) bool {
	return slices.ContainsFunc(all, func(c Channel) bool { return c != desktop })
}

// Check returns an error for a channel of a setting that cannot be one. It reaches nothing.
func Check(setting string) error {
	for i, c := range Channels(setting) {
		if err := c.check(); err != nil {
			return fmt.Errorf("channel %d: %w", i+1, err)
		}
	}
	return nil
}

func (c Channel) check() error {
	if c == desktop {
		return nil
	}
	if text, ok := strings.CutPrefix(string(c), command); ok {
		if strings.TrimSpace(text) == "" {
			return fmt.Errorf("%s has no command", c)
		}
		return nil
	}
	scheme, _, ok := strings.Cut(string(c), "://")
	service, _, _ := strings.Cut(scheme, "+")
	switch {
	case !ok:
		return fmt.Errorf("it is neither desktop, command:CMD nor the URL of a service")
	case scheme == "http" || scheme == "https":
		return fmt.Errorf("%s: a web address is written generic://, as in generic://example.com/hook", c)
	case !slices.Contains(Services(), service):
		return fmt.Errorf("%s: unknown service; the services are %s", c, strings.Join(Services(), ", "))
	}
	if _, err := url.Parse(string(c)); err != nil {
		return fmt.Errorf("%s: it is not a URL", c) // whose error has it in it
	}
	return nil
}

// Services lists what URLs of channels begin with.
func Services() []string {
	const onlyPrints = "logger"
	all := slices.DeleteFunc(new(router.ServiceRouter).ListServices(), func(name string) bool { return name == onlyPrints })
	slices.Sort(all)
	return all
}

// Unusable returns an error for the URL of a service that lacks something. It reaches nothing, so it knows less than a test.
func (c Channel) Unusable() error {
	const logsIn = "matrix" // when it is made
	if scheme, _, ok := strings.Cut(string(c), "://"); !ok || scheme == logsIn {
		return nil
	}
	var r router.ServiceRouter
	if _, err := r.Locate(string(c)); err != nil {
		return fmt.Errorf("%s: %w", c, errUnusable)
	}
	return nil
}
