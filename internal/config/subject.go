package config

import (
	"net/url"
	"strconv"
	"strings"
)

// Limits that packages feed and signal set on names, in bytes.
const (
	venueBytesMax    = 32
	instanceBytesMax = 64
	subjectBytesMax  = 255
)

// verifySubject judges a NATS subject.
func verifySubject(subject string, wildcards bool) (wrong, hint string) {
	const form = "want names joined by dots, without blanks"
	if len(subject) > subjectBytesMax {
		return "is longer than " + strconv.Itoa(subjectBytesMax) + " bytes", form
	}
	tokens := strings.Split(subject, ".")
	for i, t := range tokens {
		switch {
		case t == "":
			return "is " + strconv.Quote(subject) + ": a name is empty", form
		case strings.ContainsFunc(t, func(r rune) bool { return r <= ' ' || r == 0x7f }):
			return "is " + strconv.Quote(subject) + ": it has blanks in it", form
		case !wildcards && strings.ContainsAny(t, "*>"):
			return "is " + strconv.Quote(subject) + ": it has a wildcard", form + " and without * and >"
		case t == ">" && i != len(tokens)-1:
			return "is " + strconv.Quote(subject) + ": > is not at the end", "> stands for all further names and comes last"
		case len(t) > 1 && strings.ContainsAny(t, "*>"):
			return "is " + strconv.Quote(subject) + ": a wildcard is part of a name", "* stands for one whole name, > for all further ones"
		}
	}
	return "", ""
}

// subjectsOverlap reports whether a message can match both.
func subjectsOverlap(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := 0; ; i++ {
		switch {
		case i == len(as) || i == len(bs):
			return len(as) == len(bs)
		case as[i] == ">" || bs[i] == ">":
			return true
		case as[i] != bs[i] && as[i] != "*" && bs[i] != "*":
			return false
		}
	}
}

// serversWrong says what is wrong with a list of server URLs, as the end of a sentence, and what to do; nothing if it is fine.
// It does not repeat the URL, which may hold a password.
func serversWrong(servers string) (wrong, hint string) {
	for server := range strings.SplitSeq(servers, ",") {
		server = strings.TrimSpace(server)
		if !strings.Contains(server, "://") {
			server = "nats://" + server
		}
		u, err := url.Parse(server)
		if err != nil || u.Hostname() == "" {
			return "is not a server URL", "such as nats://127.0.0.1:4222, or several separated by commas"
		}
		if port := u.Port(); port != "" {
			if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
				return "has the port " + port, "a port is 1 to 65535"
			}
		}
		switch u.Scheme {
		case "nats", "tls", "ws", "wss":
		default:
			return "has the scheme " + strconv.Quote(u.Scheme), "want nats, tls, ws or wss"
		}
	}
	return "", ""
}

func checkServers(r *report, servers string) {
	if wrong, hint := serversWrong(servers); wrong != "" {
		r.add("nats.url", wrong, hint)
		return
	}
	if strings.Contains(servers, "@") {
		r.add("nats.url", "has a user, password or token in it", "use user and password_env, creds or nkey; a URL with a secret may come by NATS_URL")
	}
}
