package elector

import (
	"context"
	"net"
	"strconv"
	"strings"

	"github.com/go-election/election/input"
	"github.com/go-election/election/store"
	"github.com/go-election/election/transport/tcp"
)

// FromEnv returns a Config from environment variables, for which getenv is [os.Getenv]. The program sets the other
// fields, such as Log, and may change all of them before it calls [New].
//
//	ELECTION_GROUP      Group
//	ELECTION_SELF       Self
//	ELECTION_MEMBERS    Members, as name=host:port,name=host:port; with ELECTION_RESOLVE, names alone
//	ELECTION_OBSERVERS  Observers, in the same form
//	ELECTION_RESOLVE    Resolve: dns:DOMAIN:PORT or srv:SERVICE, see [tcp.DNS] and [tcp.SRV]
//	ELECTION_LISTEN     Listen
//	ELECTION_ADVERTISE  Advertise
//	ELECTION_DIR        Dir
//	ELECTION_TIMES      Times, as cloud, 750ms or "3s,drain=30s", see [Times.UnmarshalText]
//	ELECTION_TLS_CERT, ELECTION_TLS_KEY, ELECTION_TLS_CA
//	                    the files of the certificate, its key and the roots, see [tcp.Files]
//	ELECTION_TLS_CLUSTER
//	                    the cluster in the certificates; if empty, ELECTION_GROUP
//	ELECTION_INSECURE_PLAINTEXT
//	                    InsecurePlaintext, true or false
//	ELECTION_STORE      the URL of a store, which the program opens: it then sets Store
//
// A variable that is empty counts as not set. The first two are required, and one of ELECTION_MEMBERS and ELECTION_STORE;
// with ELECTION_STORE, the variables about members and connections must not be set. An error wraps [election.ErrInput] and names
// the variable and its value.
func FromEnv(getenv func(name string) string) (Config, error) {
	c, err := fromEnv(getenv)
	if err != nil {
		return Config{}, prefixed(err)
	}
	whole := c
	whole.Times = c.Times.Complete()
	if getenv("ELECTION_STORE") != "" {
		whole.Store = unopened{}
	}
	if err := whole.check(); err != nil { // its errors name fields
		return Config{}, refuse("%s", variables.Replace(input.Reason(err)))
	}
	return c, nil
}

// unopened stands for the Store that the program opens.
type unopened struct{ store.Store }

// variables are the words for fields in the errors of Config.check.
var variables = strings.NewReplacer("Group: ", "ELECTION_GROUP: ", "Self: ", "ELECTION_SELF: ",
	"among the Members ", "in ELECTION_MEMBERS, which has ", "Members: ", "ELECTION_MEMBERS: ",
	"set Listen ", "set ELECTION_LISTEN ", "Advertise: ", "ELECTION_ADVERTISE: ", "the Observers, which", "ELECTION_OBSERVERS, which",
	"Observers: ", "ELECTION_OBSERVERS: ", "neither Dir ", "neither ELECTION_DIR ")

func fromEnv(getenv func(string) string) (c Config, err error) {
	inStore := getenv("ELECTION_STORE") != ""
	c.Advertise = getenv("ELECTION_ADVERTISE")
	for _, v := range []struct {
		name, what string
		to         *string
	}{
		{"GROUP", "the name of the election", &c.Group},
		{"SELF", "the name of this member", &c.Self},
		{"MEMBERS", "the members, as in a=10.0.0.1:7946,b=10.0.0.2:7946", nil},
	} {
		text := getenv("ELECTION_" + v.name)
		if text == "" && v.to == nil && inStore {
			continue
		}
		if text == "" {
			return c, input.Errorf("ELECTION_%s: it is not set: it is %s", v.name, v.what)
		}
		if v.to != nil {
			*v.to = text
		}
	}
	if inStore {
		for _, name := range []string{"MEMBERS", "OBSERVERS", "RESOLVE", "LISTEN", "TLS_CERT", "TLS_KEY", "TLS_CA", "TLS_CLUSTER",
			"INSECURE_PLAINTEXT"} {
			if text := getenv("ELECTION_" + name); text != "" && text != "false" {
				return c, input.Errorf("ELECTION_%s: %.60q has no effect with ELECTION_STORE: unset one of the two", name, text)
			}
		}
		c.Dir = getenv("ELECTION_DIR")
		c.Times, err = timesFrom(getenv)
		return c, err
	}
	if text := getenv("ELECTION_RESOLVE"); text != "" {
		if c.Resolve, err = parseResolve(text); err != nil {
			return c, about("ELECTION_RESOLVE", err)
		}
	}
	if c.Members, err = parseMembers(c.Resolve != nil, getenv("ELECTION_MEMBERS")); err != nil {
		return c, about("ELECTION_MEMBERS", err)
	}
	if c.Observers, err = parseMembers(c.Resolve != nil, getenv("ELECTION_OBSERVERS")); err != nil {
		return c, about("ELECTION_OBSERVERS", err)
	}
	for name, list := range map[string]map[string]string{"ELECTION_MEMBERS": c.Members, "ELECTION_OBSERVERS": c.Observers} {
		for _, of := range sortedNames(list) {
			if _, _, err := net.SplitHostPort(list[of]); err != nil && list[of] != "" {
				return c, input.Errorf("%s: the address of %.60q: %w, as in 10.0.0.1:7946", name, of, err)
			}
		}
	}
	c.Listen, c.Dir = getenv("ELECTION_LISTEN"), getenv("ELECTION_DIR")
	if address, ok := c.Members[c.Self]; ok && address == "" && c.Listen == "" {
		return c, input.Errorf("ELECTION_LISTEN: it is not set, and ELECTION_MEMBERS has no address for %.60q: set it to "+
			"the address on which this member listens, as in :7946", c.Self)
	}
	if c.Times, err = timesFrom(getenv); err != nil {
		return c, err
	}
	return c, c.secure(getenv)
}

// timesFrom returns the Times of ELECTION_TIMES.
func timesFrom(getenv func(string) string) (Times, error) {
	t, err := parseTimes(getenv("ELECTION_TIMES"))
	if err == nil {
		err = t.Check()
	}
	if err != nil {
		return t, input.Errorf("ELECTION_TIMES: %s", strings.TrimPrefix(input.Reason(err), "Times."))
	}
	return t, nil
}

// secure reads the variables about TLS.
func (c *Config) secure(getenv func(string) string) (err error) {
	const plain = "ELECTION_INSECURE_PLAINTEXT"
	if text := getenv(plain); text != "" {
		if c.InsecurePlaintext, err = strconv.ParseBool(text); err != nil {
			return input.Errorf("%s: %.60q is neither true nor false", plain, text)
		}
	}
	names := []string{"ELECTION_TLS_CERT", "ELECTION_TLS_KEY", "ELECTION_TLS_CA"}
	var files, missing []string
	for _, name := range names {
		file := getenv(name)
		if files = append(files, file); file == "" {
			missing = append(missing, name)
		}
	}
	switch {
	case len(missing) == 0 && c.InsecurePlaintext:
		return input.Errorf("%s: it is true although there are certificates: unset it or %s", plain, commas(names))
	case len(missing) == 0:
		c.TLS = &tcp.TLS{Cluster: c.Group, Load: tcp.Files(files[0], files[1], files[2])}
		if cluster := getenv("ELECTION_TLS_CLUSTER"); cluster != "" {
			c.TLS.Cluster = cluster
		}
	case len(missing) < len(names):
		return input.Errorf("%s: it is not set: TLS needs all of %s", missing[0], commas(names))
	case c.InsecurePlaintext:
	default:
		for _, name := range sortedNames(c.all()) {
			host, _, _ := net.SplitHostPort(c.all()[name])
			// If the address is not known yet, package tcp refuses it when Resolve has found it.
			if ip := net.ParseIP(host); c.all()[name] != "" && host != "localhost" && !ip.IsLoopback() {
				return input.Errorf("%s: it is not set, and %.60q may be on another machine, at %.60q: set %s, or "+
					"%s=true if all processes that reach these addresses may be trusted", names[0], name,
					c.all()[name], commas(names), plain)
			}
		}
	}
	return nil
}

// parseResolve reads how addresses are looked up.
func parseResolve(text string) (func(context.Context, string) (string, error), error) {
	how, of, _ := strings.Cut(text, ":")
	switch {
	case how == "srv" && of != "":
		return tcp.SRV(of), nil
	case how == "dns":
		domain, service, err := net.SplitHostPort(of)
		port, wrong := strconv.ParseUint(service, 10, 16)
		if err == nil && domain != "" && wrong == nil && port > 0 {
			return tcp.DNS(domain, int(port)), nil
		}
	}
	return nil, input.Errorf("%.60q is neither dns:DOMAIN:PORT nor srv:SERVICE, as in dns:orders:7946", text)
}
