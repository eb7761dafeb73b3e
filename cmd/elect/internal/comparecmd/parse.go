package comparecmd

import (
	"math"
	"slices"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/input"
	"github.com/go-election/election/lab/experiment"
	"github.com/go-election/election/lab/figure"
	"github.com/go-election/election/lab/sim"
)

// parse reads the command line.
func (c *compare) parse(args []string) (err error) {
	if err := c.parseAlgorithms(args); err != nil {
		return err
	}
	if err := c.parseLinks(); err != nil {
		return err
	}
	// Seeds are counted up from this one and must not wrap round.
	if most := math.MaxUint64 - uint64(c.run.Seeds) + 1; c.run.Seed > most {
		return input.Errorf("--seed: %d leaves no room for %d seeds, at most %d does", c.run.Seed,
			c.run.Seeds, most)
	}
	c.run.FormsOnly = slices.Contains(experiment.Forms(), c.metric) && (c.least || c.markdown)
	if err := c.parseParams(); err != nil {
		return err
	}
	c.run.Prepare = c.prepare
	if err := c.run.Complete(); err != nil {
		return err
	}
	return c.parseOutput()
}

// parseAlgorithms finds the algorithms that are named.
func (c *compare) parseAlgorithms(args []string) error {
	if len(args) == 0 {
		return input.Errorf("which algorithms? There are %s", strings.Join(c.Catalog.Names(), ", "))
	}
	for _, arg := range args {
		if strings.Trim(arg, "0123456789.,") == "" {
			return input.Errorf("unexpected argument %.60q: a list has commas only, no spaces", arg)
		}
		name, variant, slash := strings.Cut(arg, "/")
		if slash && variant == "" {
			return input.Errorf("%.60q: a variant is missing after the slash", arg)
		}
		a, err := c.Find(name, variant)
		if err != nil {
			return err
		}
		c.run.Algorithms = append(c.run.Algorithms, a)
	}
	return nil
}

// parseLinks parses --topology for each algorithm, and the numbers of processes, which --topology may
// include.
func (c *compare) parseLinks() (err error) {
	c.links = make(map[*election.Algorithm]*job.Layout)
	var said *job.Layout
	for _, a := range c.run.Algorithms {
		if c.links[a], err = c.Layout(a); err != nil {
			return err
		}
		said = c.links[a]
	}
	switch {
	case said != nil && said.IDs != nil && (c.run.Sizes != nil || c.Given("order")):
		err = input.Errorf("%s: the file gives the processes and their places; -n and --order cannot",
			said.Flag())
	case said != nil && said.IDs != nil:
		c.run.Sizes = []int{said.N}
		c.run.Order = sim.SortedOrder // keeps the processes in the order of the file
	case c.run.Sizes != nil:
	case said != nil && said.N > 0:
		c.run.Sizes = []int{said.N}
	default:
		err = input.Errorf("the number of processes is missing: set -n")
	}
	return err
}

// file reports whether a file gives the processes and their places.
func (c *compare) file() bool {
	l := c.links[c.run.Algorithms[0]] // as of all others
	return l != nil && l.IDs != nil
}

// parseParams splits --param, and refuses a parameter that no algorithm of the comparison has.
func (c *compare) parseParams() error {
	for _, text := range c.Params {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return input.Errorf("--param: %.60q is not a name and a value, as in alive_timeout=3", text)
		}
		if slices.ContainsFunc(c.settings, func(s setting) bool { return s.name == name }) {
			return input.Errorf("--param: %.60q is given twice", name)
		}
		if !slices.ContainsFunc(c.run.Algorithms, func(a *election.Algorithm) bool { return has(a, name) }) {
			return input.Errorf("--param: none of the algorithms has a parameter %.60q", name)
		}
		c.settings = append(c.settings, setting{name, value})
	}
	return nil
}

// parseOutput reads the flags of the output.
func (c *compare) parseOutput() error {
	var taken string // the flag of another output
	for _, output := range []struct {
		flag  string
		given bool
	}{{"least", c.least}, {"csv", c.csv}, {"json", c.JSON}, {"markdown", c.markdown}} {
		if output.given {
			taken = "--" + output.flag
		}
	}
	switch {
	case c.svg == "":
		return nil
	case slices.ContainsFunc(c.Reads(), func(name string) bool { return files.Same(c.svg, name) }):
		return input.Errorf("--svg: %s is read already", c.svg)
	case c.svg == files.Standard && taken != "":
		return input.Errorf("%s: standard output is taken by a file named -", taken)
	case slices.Contains(experiment.Forms(), c.metric):
		return input.Errorf("--svg: the closed forms are in the figure of messages")
	case len(c.run.Algorithms) > figure.MostAlgorithms:
		return input.Errorf("--svg: %d algorithms, at most %d are legible", len(c.run.Algorithms),
			figure.MostAlgorithms)
	}
	return files.CheckWritable("svg", c.svg) // before the measurements, which may take minutes
}
