package leadcmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/go-election/election/elector"
	"github.com/go-election/election/input"
	"github.com/go-election/election/internal/prose"
)

// settings finds what configures a member: a flag, or else an environment variable, or else a field of the file of
// --config. A setting has the same name as its flag. The environment variables are documented at
// elector.FromEnv and in the help of elect lead.
type settings struct {
	flags *pflag.FlagSet
	path  string            // of the file, or empty
	file  map[string]string // by name
}

// plurals are the settings whose flag is repeated. In variables and files their names are longer.
var plurals = map[string]string{"members": "member", "observers": "observer"}

// names returns the names of all settings, as in a file.
func (s *settings) names() (all []string) {
	s.flags.VisitAll(func(f *pflag.Flag) {
		name := strings.ReplaceAll(f.Name, "-", "_")
		for plural, one := range plurals {
			if name == one {
				name = plural
			}
		}
		if name != "config" && name != "help" {
			all = append(all, name)
		}
	})
	return all
}

// find returns the value of a setting, and how its user calls it.
func (s *settings) find(name string) (value, where string) {
	flag, variable := strings.ReplaceAll(name, "_", "-"), "ELECTION_"+strings.ToUpper(name)
	if one, ok := plurals[name]; ok {
		flag = one
	}
	where = "--" + flag
	f := s.flags.Lookup(flag)
	if f == nil {
		return "", where
	}
	value = f.Value.String()
	if list, ok := f.Value.(pflag.SliceValue); ok {
		value = strings.Join(list.GetSlice(), ",")
	}
	if f.Changed {
		return value, where
	}
	if text := os.Getenv(variable); text != "" {
		return text, variable
	}
	if text, ok := s.file[name]; ok {
		return text, s.path + ": " + name
	}
	return value, where
}

// getenv is what elector.FromEnv needs.
func (s *settings) getenv(variable string) string {
	value, _ := s.find(strings.ToLower(strings.TrimPrefix(variable, "ELECTION_")))
	return value
}

// words replaces what errors of package elector call the fields of its Config, and variables.
func (s *settings) words() *strings.Replacer {
	pairs := []string{"elector: ", ""}
	for _, name := range s.names() {
		_, where := s.find(name)
		pairs = append(pairs, "ELECTION_"+strings.ToUpper(name), where)
	}
	of := func(name string) string {
		_, where := s.find(name)
		return where
	}
	members := of("members")
	cluster, where := s.find("tls_cluster")
	if cluster == "" {
		cluster, where = s.find("group")
	}
	return strings.NewReplacer(append(pairs, "Members: ", members+": ", "members: ", members+": ", "members[", members+"[",
		"Listen: ", of("listen")+": ", "listener: ", of("listen")+": ", "Dir: ", of("dir")+": ",
		"Times.", of("times")+": ",
		"is not of cluster "+cluster, "is not of "+where+" "+cluster+": use the group for which elect cert made it")...)
}

// read reads the file of --config, if there is one.
func (s *settings) read() error {
	if s.path == "" {
		return nil
	}
	text, err := os.ReadFile(s.path)
	if err != nil {
		return input.Errorf("--config: %w", err)
	}
	file, err := s.parse(text)
	if err != nil {
		return input.Errorf("%s: %w", s.path, err)
	}
	s.file = file
	return nil
}

// parse reads a JSON object of settings.
func (s *settings) parse(text []byte) (map[string]string, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	var fields map[string]any
	if err := d.Decode(&fields); err != nil {
		return nil, fmt.Errorf("it is no JSON object: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("there is more behind the JSON object")
	}
	file := make(map[string]string)
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if known := s.names(); !slices.Contains(known, name) {
			hint := ""
			if near := prose.Nearest(name, known); near != "" {
				hint = ": did you mean " + near + "?"
			}
			return nil, fmt.Errorf("%.60q is not one of %s%s", name, strings.Join(known, ", "), hint)
		}
		value, err := flat(plurals[name] != "", fields[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		file[name] = value
	}
	return file, nil
}

// flat returns a value of a file as the text of a variable.
func flat(list bool, value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case bool:
		if !list {
			return fmt.Sprint(v), nil
		}
	case map[string]any:
		if !list {
			break
		}
		var all []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			address, ok := v[name].(string)
			if !ok || strings.ContainsAny(name, ",=") {
				return "", fmt.Errorf("%.60q: an address is a text, and a name has no comma and no =", name)
			}
			if address != "" {
				name += "=" + address
			}
			all = append(all, name)
		}
		return strings.Join(all, ","), nil
	}
	if list {
		return "", fmt.Errorf(`it is not an object of names and addresses, as in {"a": "10.0.0.1:7946"}`)
	}
	return "", fmt.Errorf("it is neither a text nor true or false")
}

// reload reads the file of --config again, and makes the member wish other members if that is all that has changed.
func (s *settings) reload(e *elector.Elector) (members []string, err error) {
	next := &settings{flags: s.flags, path: s.path}
	if err := next.read(); err != nil {
		return nil, err
	}
	var changed []string
	for _, name := range s.names() {
		before, _ := s.find(name)
		if now, where := next.find(name); now != before && name != "members" {
			changed = append(changed, where)
		}
	}
	if len(changed) > 0 {
		return nil, input.Errorf("%s: only members can change while this member runs: restart it, or undo the change",
			strings.Join(changed, ", "))
	}
	c, err := elector.FromEnv(next.getenv)
	if err != nil {
		return nil, err
	}
	members = slices.Sorted(maps.Keys(c.Members))
	before, _ := s.find("members")
	if now, _ := next.find("members"); now == before {
		return members, nil
	}
	if err := e.Wish(c.Members); err != nil {
		return nil, err
	}
	s.file = next.file
	return members, nil
}
