package elector

import (
	"strings"

	"github.com/go-election/election/input"
)

// ParseMembers parses a list of members for Config.Members, for instance from a command line or environment
// variables. Each text is name=host:port, or several of these separated by commas; blank texts are ignored. Errors
// wrap [election.ErrInput], for instance if a name occurs twice.
func ParseMembers(texts ...string) (map[string]string, error) {
	members, err := parseMembers(false, texts...)
	return members, prefixed(err)
}

// parseMembers is ParseMembers. If bare is true, addresses may be missing.
func parseMembers(bare bool, texts ...string) (map[string]string, error) {
	members := make(map[string]string)
	for _, text := range texts {
		if strings.TrimSpace(text) == "" {
			continue
		}
		for m := range strings.SplitSeq(text, ",") {
			name, address, ok := strings.Cut(strings.TrimSpace(m), "=")
			switch _, again := members[name]; {
			case name == "" || address == "" && (ok || !bare):
				return nil, input.Errorf("%.60q is not name=host:port", m)
			case again:
				return nil, input.Errorf("%.60q is given twice", name)
			}
			members[name] = address
		}
	}
	return members, nil
}
