package elector

import "strings"

// ParseMembers returns what Config.Members holds, of texts such as those of a command line or an environment:
// name=host:port, or several of them separated by commas. A blank text, such as that of a variable that is
// not set, holds no member. An error wraps [election.ErrInput], for instance if a name is there twice.
func ParseMembers(texts ...string) (map[string]string, error) {
	members := make(map[string]string)
	for _, text := range texts {
		if strings.TrimSpace(text) == "" {
			continue
		}
		for m := range strings.SplitSeq(text, ",") {
			name, address, ok := strings.Cut(strings.TrimSpace(m), "=")
			switch _, again := members[name]; {
			case !ok || name == "" || address == "":
				return nil, refuse("%.60q is not name=host:port", m)
			case again:
				return nil, refuse("%.60q is given twice", name)
			}
			members[name] = address
		}
	}
	return members, nil
}
