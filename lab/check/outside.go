package check

import "github.com/go-election/election/lab/scenario"

// Outside says in words where more may happen than the algorithm is made for; it is empty where not. What is
// violated then is no mistake of the algorithm.
func (c *Config) Outside() string {
	c = c.whole()
	m := scenario.Mishaps{
		Unordered: c.Unordered || overtakes(c.After), Timeless: c.Delay == 0, Delay: c.Delay,
		Lost: c.Losses != 0 || len(c.Kept) > 0, Copied: c.Duplicates != 0 || len(c.Kept) > 0,
		Down:      c.Crashes + len(c.Crashed),
		Recovered: c.Recoveries > 0, Restarted: c.Restarts > 0, Paused: c.Pauses > 0, Cut: c.Cuts > 0,
		Uneven: c.Starts() < len(c.IDs) && c.Delay != c.Algorithm.Delay || c.WrongClocks(),
		Drift:  c.Drift(),
	}
	return m.Outside(c.Algorithm, len(c.IDs))
}
