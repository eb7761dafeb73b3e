package elector

import (
	"strconv"
	"strings"
	"time"

	"github.com/go-election/election/input"
)

// presets are the Times that have a name.
func presets() map[string]Times {
	return map[string]Times{"lan": LAN(), "cloud": Cloud(), "wan": WAN()}
}

// durations returns the fields of the Times by their names in text, in order.
func (t *Times) durations() []field {
	return []field{{"lease", &t.Lease}, {"renew", &t.Renew}, {"stop", &t.Stop}, {"drain", &t.Drain}, {"delay", &t.Delay}}
}

type field struct {
	name  string
	value *time.Duration
}

// MarshalText returns the Times as text, see [Times.UnmarshalText]. It omits fields that are zero.
func (t Times) MarshalText() ([]byte, error) {
	for name, preset := range presets() {
		if t == preset {
			return []byte(name), nil
		}
	}
	var parts []string
	for i, f := range t.durations() {
		switch {
		case *f.value == 0:
		case i == 0:
			parts = append(parts, f.value.String())
		default:
			parts = append(parts, f.name+"="+f.value.String())
		}
	}
	if t.Drift != 0 {
		parts = append(parts, "drift="+strconv.FormatFloat(t.Drift, 'g', -1, 64))
	}
	return []byte(strings.Join(parts, ",")), nil
}

// UnmarshalText reads Times from text, for instance from a configuration file or an environment variable: lan, cloud,
// wan, or a Lease such as 750ms; then, after commas, further fields in lower case, such as renew=150ms or drift=0.01.
// So "cloud,drain=30s" is [Cloud] with another Drain, and "2s" leaves everything but the Lease to its default. Errors
// wrap [election.ErrInput]. [Times.Check] reports Times that do not fit together.
func (t *Times) UnmarshalText(text []byte) error {
	read, err := parseTimes(string(text))
	if err != nil {
		return refuse("times: %w", err)
	}
	*t = read
	return nil
}

// parseTimes reads Times from text. Its errors contain the wrong part.
func parseTimes(text string) (t Times, err error) {
	if text == "" {
		return t, nil
	}
	given := make(map[string]bool)
	for i, part := range strings.Split(text, ",") {
		part = strings.TrimSpace(part)
		if preset, ok := presets()[part]; ok && i == 0 {
			t, given["lease"] = preset, true
			continue
		}
		name, value, named := strings.Cut(part, "=")
		if !named && i == 0 {
			name, value = "lease", part
		}
		if given[name] {
			return t, input.Errorf("%s is given twice in %.60q", name, text)
		}
		given[name] = true
		if err := t.set(name, value, named); err != nil {
			return t, err
		}
	}
	return t, nil
}

// set reads one field.
func (t *Times) set(name, value string, named bool) error {
	const how = "a time is written as in 750ms or 1.5s"
	for _, f := range t.durations() {
		if f.name != name {
			continue
		}
		d, err := time.ParseDuration(value)
		switch {
		case err != nil && !named:
			return input.Errorf("%.60q is neither lan, cloud, wan nor a time; %s", value, how)
		case err != nil:
			return input.Errorf("%s: %.60q is not a time; %s", name, value, how)
		case d <= 0:
			return input.Errorf("%s: %s is not above 0", name, value)
		}
		*f.value = d
		return nil
	}
	if name != "drift" {
		return input.Errorf("%.60q is not one of lease, renew, stop, drain, delay and drift", name)
	}
	drift, err := strconv.ParseFloat(value, 64)
	switch {
	case err != nil:
		return input.Errorf("drift: %.60q is not a number, as in 0.001", value)
	case !(drift > 0):
		return input.Errorf("drift: %s is not above 0", value)
	}
	t.Drift = drift
	return nil
}
