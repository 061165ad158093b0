package notice

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/nicholas-fedor/shoutrrr/pkg/router"
	"github.com/nicholas-fedor/shoutrrr/pkg/types"
)

var (
	errRedirected = errors.New("the server redirects to another address")
	errUnusable   = errors.New("its URL lacks something, or has something that the service does not know")
)

// sendTo has a service send a message. What it returns may have passwords in it: see words.
func sendTo(serviceURL, message string) error {
	var r router.ServiceRouter
	service, err := r.Locate(serviceURL)
	if err != nil {
		return fmt.Errorf("%w: %w", errUnusable, err)
	}
	guardClient(service)
	return service.Send(message, &types.Params{})
}

// Guard makes this process follow no redirect. A redirect would take the address of a webhook, which is a password, to another
// server as the Referer.
func Guard() { http.DefaultTransport = guarded{http.DefaultTransport} }

// guardClient does so for the services that have a client of their own.
func guardClient(service types.Service) {
	if s, ok := service.(interface{ SetHTTPClient(client *http.Client) }); ok {
		s.SetHTTPClient(&http.Client{})
		return
	}
	s, ok := service.(interface{ GetHTTPClient() *http.Client })
	if !ok {
		return
	}
	if s.GetHTTPClient() == nil {
		// Gotify makes its client when it sends. This priority is refused before it does.
		_ = service.Send("x", &types.Params{"priority": "none"})
	}
	if client := s.GetHTTPClient(); client != nil && client.Transport != nil {
		client.Transport = guarded{client.Transport}
	}
}

// guarded answers no redirect, and reads no more of an answer than anybody needs.
type guarded struct{ http.RoundTripper }

const answerLimit = 64 << 10

// RoundTrip sends one request.
func (g guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := g.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode/100 == 3 {
		return nil, errors.Join(errRedirected, answer.Body.Close())
	}
	answer.Body = limited{io.LimitReader(answer.Body, answerLimit), answer.Body}
	return answer, nil
}

type limited struct {
	io.Reader
	io.Closer
}

// explain says why a service got nothing. It takes no word from the error itself, which may have the URL in it, whole, in parts or
// encoded.
func explain(err error) string {
	said := strings.ToLower(err.Error())
	for _, known := range reasons() {
		if strings.Contains(said, known[0]) {
			return known[1]
		}
	}
	for _, found := range status.FindAllString(said, -1) {
		if code, _ := strconv.Atoi(found[len(found)-3:]); http.StatusText(code) != "" {
			return fmt.Sprintf("the server answered %d %s", code, http.StatusText(code))
		}
	}
	for code := 400; code < 600; code++ {
		if name := http.StatusText(code); name != "" && strings.Contains(said, fmt.Sprintf("%d %s", code, strings.ToLower(name))) {
			return fmt.Sprintf("the server answered %d %s", code, name)
		}
	}
	if errors.Is(err, errUnusable) {
		return errUnusable.Error()
	}
	return "the service did not take it"
}

var status = regexp.MustCompile(`status[a-z ]*:? ?[45][0-9][0-9]\b`)

func reasons() [][2]string {
	return [][2]string{
		{errRedirected.Error(), errRedirected.Error() + ", and notices do not follow redirects"},
		{"connection refused", "connection refused"},
		{"actively refused", "connection refused"}, // Windows
		{"no such host", "no such host"},
		{"x509", "the server's certificate is not valid"},
		{"certificate", "the server's certificate is not valid"},
		{"http response to https", "the server does not speak TLS"},
		{"first record does not look like a tls", "the server does not speak TLS"},
		{"network is unreachable", "the network is unreachable"},
		{"no route to host", "no route to host"},
		{"deadline exceeded", "no answer in time"},
		{"timed out", "no answer in time"},
		{"timeout", "no answer in time"},
		{"connection reset", "the server closed the connection"},
		{"eof", "the server closed the connection"},
		{"invalid_auth", "the service does not know the token"},
		{"channel_not_found", "there is no such channel"},
	}
}
