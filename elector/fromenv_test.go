package elector_test

import (
	"context"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election"
	"github.com/go-election/election/elector"
	"github.com/go-election/election/transport/tcp/certs"
)

// env returns a getenv of these variables, each as NAME=value without ELECTION_.
func env(variables ...string) func(string) string {
	all := make(map[string]string)
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		all["ELECTION_"+name] = value
	}
	return func(name string) string { return all[name] }
}

// TestFromEnv: the variables become the fields of a Config.
func TestFromEnv(t *testing.T) {
	c, err := elector.FromEnv(env("GROUP=orders", "SELF=a", "MEMBERS=a=10.0.0.1:7946,b=10.0.0.2:7946",
		"OBSERVERS=p=10.0.0.9:7946", "LISTEN=:7946", "ADVERTISE=10.0.0.1:8080", "DIR=/state", "TIMES=cloud,drain=30s",
		"TLS_CERT=a.pem", "TLS_KEY=a.key.pem", "TLS_CA=ca.pem"))
	require.NoError(t, err)
	require.Equal(t, "orders", c.TLS.Cluster)
	_, _, err = c.TLS.Load()
	require.ErrorIs(t, err, os.ErrNotExist)
	c.TLS = nil
	times := elector.Cloud()
	times.Drain = 30 * time.Second
	require.Equal(t, elector.Config{Group: "orders", Self: "a", Listen: ":7946", Advertise: "10.0.0.1:8080", Dir: "/state", Times: times,
		Members:   map[string]string{"a": "10.0.0.1:7946", "b": "10.0.0.2:7946"},
		Observers: map[string]string{"p": "10.0.0.9:7946"}}, c)

	c, err = elector.FromEnv(env("GROUP=g", "SELF=a", "MEMBERS=a,b,c=10.0.0.3:1", "RESOLVE=dns:localhost:7", "LISTEN=:7946",
		"TLS_CERT=a.pem", "TLS_KEY=a.key.pem", "TLS_CA=ca.pem", "TLS_CLUSTER=all"))
	require.NoError(t, err)
	require.Equal(t, "all", c.TLS.Cluster)
	require.Equal(t, map[string]string{"a": "", "b": "", "c": "10.0.0.3:1"}, c.Members)
	require.NotNil(t, c.Resolve)

	c, err = elector.FromEnv(env("GROUP=g", "SELF=a", "STORE=file:///d", "ADVERTISE=http://a", "DIR=/state", "TIMES=wan", "INSECURE_PLAINTEXT=false"))
	require.NoError(t, err)
	require.Equal(t, elector.Config{Group: "g", Self: "a", Advertise: "http://a", Dir: "/state", Times: elector.WAN()}, c)

	c, err = elector.FromEnv(env("GROUP=g", "SELF=a", "MEMBERS=a=10.0.0.1:1", "INSECURE_PLAINTEXT=true"))
	require.NoError(t, err)
	require.True(t, c.InsecurePlaintext)
	require.Nil(t, c.TLS)
}

// TestFromEnvErrors: an error names the variable, its value, and what to do.
func TestFromEnvErrors(t *testing.T) {
	good := map[string]string{"GROUP": "g", "SELF": "a", "MEMBERS": "a=localhost:1,b=127.0.0.1:2"}
	const tls = "ELECTION_TLS_CERT, ELECTION_TLS_KEY, ELECTION_TLS_CA"
	for set, want := range map[string]string{
		"GROUP=":             `ELECTION_GROUP: it is not set: it is the name of the election`,
		"SELF=":              `ELECTION_SELF: it is not set: it is the name of this member`,
		"MEMBERS=":           `ELECTION_MEMBERS: it is not set: it is the members, as in a=10.0.0.1:7946,b=10.0.0.2:7946`,
		"MEMBERS=a":          `ELECTION_MEMBERS: "a" is not name=host:port`,
		"MEMBERS=a=:1,a=:2":  `ELECTION_MEMBERS: "a" is given twice`,
		"MEMBERS=a=10.0.0.1": `ELECTION_MEMBERS: the address of "a": address 10.0.0.1: missing port in address, as in 10.0.0.1:7946`,
		"MEMBERS=a=localhost:1,b\x01=localhost:2": `ELECTION_MEMBERS: "b\x01" is not a name: it must be printable UTF-8 and not empty`,
		"SELF=c":                                `ELECTION_SELF: "c" is not in ELECTION_MEMBERS, which has a, b; correct the name, or set ELECTION_LISTEN if this member is being removed`,
		"OBSERVERS=p":                           `ELECTION_OBSERVERS: "p" is not name=host:port`,
		"OBSERVERS=a=localhost:3":               `ELECTION_OBSERVERS: "a" is a member`,
		"OBSERVERS=p=localhost":                 `ELECTION_OBSERVERS: the address of "p": address localhost: missing port in address, as in 10.0.0.1:7946`,
		"SELF=p OBSERVERS=p=localhost:3 DIR=/d": `ELECTION_SELF: "p" is one of ELECTION_OBSERVERS, which have neither ELECTION_DIR nor Priority`,
		"RESOLVE=dns:x":                         `ELECTION_RESOLVE: "dns:x" is neither dns:DOMAIN:PORT nor srv:SERVICE, as in dns:orders:7946`,
		"RESOLVE=srv:x MEMBERS=a,b":             `ELECTION_LISTEN: it is not set, and ELECTION_MEMBERS has no address for "a": set it to the address on which this member listens, as in :7946`,
		"STORE=x":                               `ELECTION_MEMBERS: "a=localhost:1,b=127.0.0.1:2" has no effect with ELECTION_STORE: unset one of the two`,
		"STORE=x MEMBERS= SELF=\x01":            `ELECTION_SELF: "\x01" is not a name: it must be printable UTF-8 and not empty`,
		"STORE=x MEMBERS= LISTEN=:1":            `ELECTION_LISTEN: ":1" has no effect with ELECTION_STORE: unset one of the two`,
		"STORE=x MEMBERS= TIMES=1us":            `ELECTION_TIMES: Lease: 1µs is less than 1ms`,
		"ADVERTISE=a\x01":                       `ELECTION_ADVERTISE: "a\x01" is not an address: it has at most 255 printable ASCII characters, and no space`,
		"TIMES=soon":                            `ELECTION_TIMES: "soon" is neither lan, cloud, wan nor a time; a time is written as in 750ms or 1.5s`,
		"TIMES=1us":                             `ELECTION_TIMES: Lease: 1µs is less than 1ms`,
		"TIMES=1s,stop=900ms":                   `ELECTION_TIMES: Stop: 900ms is not between 0 and half of a Lease of 1s`,
		"INSECURE_PLAINTEXT=maybe":              `ELECTION_INSECURE_PLAINTEXT: "maybe" is neither true nor false`,
		"TLS_CERT=a TLS_KEY=b":                  `ELECTION_TLS_CA: it is not set: TLS needs all of ` + tls,
		"TLS_CERT=a TLS_KEY=b TLS_CA=c INSECURE_PLAINTEXT=1": `ELECTION_INSECURE_PLAINTEXT: it is true although there are certificates: unset it or ` + tls,
		"MEMBERS=a=localhost:1,b=10.0.0.2:7": `ELECTION_TLS_CERT: it is not set, and "b" may be on another machine, at "10.0.0.2:7": set ` + tls +
			`, or ELECTION_INSECURE_PLAINTEXT=true if all processes that reach these addresses may be trusted`,
	} {
		all := maps.Clone(good)
		for v := range strings.FieldsSeq(set) {
			name, value, _ := strings.Cut(v, "=")
			all[name] = value
		}
		var list []string
		for name, value := range all {
			list = append(list, name+"="+value)
		}
		c, err := elector.FromEnv(env(list...))
		require.ErrorIs(t, err, election.ErrInput, set)
		require.EqualError(t, err, "elector: "+want)
		require.Empty(t, c)
	}
}

// A program whose environment configures it.
func ExampleFromEnv() {
	c, err := elector.FromEnv(os.Getenv)
	if err != nil {
		panic(err)
	}
	e, err := elector.New(c)
	if err != nil {
		panic(err)
	}
	err = e.Run(context.Background(), func(ctx context.Context, term elector.Term) error {
		<-ctx.Done() // here it works, until the lead ends
		return nil
	})
	if err != nil {
		panic(err)
	}
}

// TestFromEnvRuns: New accepts the files of elect cert and the variables together.
func TestFromEnvRuns(t *testing.T) {
	dir := t.TempDir()
	ca, err := certs.NewCA("test", time.Now(), time.Hour)
	require.NoError(t, err)
	cert, key, err := ca.Issue("g", "a", time.Now(), time.Hour)
	require.NoError(t, err)
	for name, text := range map[string][]byte{"/ca.pem": ca.Cert, "/a.pem": cert, "/a.key.pem": key} {
		require.NoError(t, os.WriteFile(dir+name, text, 0o600))
	}
	for name, value := range map[string]string{"GROUP": "g", "SELF": "a", "MEMBERS": "a=10.0.0.1:7946", "LISTEN": "127.0.0.1:0",
		"TIMES": "wan", "TLS_CERT": dir + "/a.pem", "TLS_KEY": dir + "/a.key.pem", "TLS_CA": dir + "/ca.pem", "DIR": dir} {
		t.Setenv("ELECTION_"+name, value)
	}
	c, err := elector.FromEnv(os.Getenv)
	require.NoError(t, err)
	e, err := elector.New(c)
	require.NoError(t, err)
	require.NoError(t, e.Close())
}
