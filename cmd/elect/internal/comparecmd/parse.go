package comparecmd

import (
	"math"
	"slices"
	"strings"

	"github.com/go-election/election"
	"github.com/go-election/election/cmd/elect/internal/files"
	"github.com/go-election/election/cmd/elect/internal/job"
	"github.com/go-election/election/cmd/elect/internal/parse"
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
	if c.run.Seeds, err = parse.Whole("--seeds", c.Text("seeds"), "seeds", 1,
		experiment.MostSeeds); err != nil {
		return err
	}
	if c.run.Seed, err = parse.Number("--seed", c.Text("seed")); err != nil {
		return err
	}
	// Seeds are counted up from this one and must not wrap round.
	if most := math.MaxUint64 - uint64(c.run.Seeds) + 1; c.run.Seed > most {
		return input.Errorf("--seed: %d leaves no room for %d seeds, at most %d does", c.run.Seed,
			c.run.Seeds, most)
	}
	for _, flag := range []string{"order", "delays", "metric", "per"} {
		if err := c.Among(flag); err != nil {
			return err
		}
	}
	if c.run.Order = sim.Order(c.Text("order")); c.file() {
		c.run.Order = sim.SortedOrder // leaves the processes where the file has them
	}
	c.metric = experiment.Measure(c.Text("metric"))
	c.run.FormsOnly = slices.Contains(experiment.Forms(), c.metric) && (c.On("least") || c.On("markdown"))
	if c.Text("initiators") != "all" {
		if c.starters, err = parse.List("--initiators", c.Text("initiators"), parse.ReadPlace); err != nil {
			return err
		}
	}
	if c.Cmd.Flags().Changed("crashed") {
		if c.down, err = parse.List("--crashed", c.Text("crashed"), parse.ReadPlace); err != nil {
			return err
		}
	}
	if err := c.parseParams(); err != nil {
		return err
	}
	c.run.Prepare = c.prepare
	if err := c.run.Complete(); err != nil {
		return err
	}
	return c.parseOutput()
}

// parseAlgorithms finds those that are named.
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

// parseLinks reads --topology, for each algorithm, and the numbers of processes, which it may say too.
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
	case said != nil && said.IDs != nil && (c.Given("n") || c.Given("order")):
		err = input.Errorf("%s: the file gives the processes and their places; -n and --order cannot",
			said.Flag())
	case c.Given("n"):
		c.run.Sizes, err = parse.Sizes("-n", c.Text("n"))
	case said != nil && said.N > 0:
		c.run.Sizes = []int{said.N}
	default:
		err = input.Errorf("how many processes? -n says it")
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
	for _, text := range c.All("param") {
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
	var outputs []string
	for _, name := range []string{"csv", "json", "markdown"} {
		if c.On(name) {
			outputs = append(outputs, "--"+name)
		}
	}
	switch {
	case len(outputs) > 1:
		return input.Errorf("%s and %s exclude each other", outputs[0], outputs[1])
	case c.On("least") && (c.On("csv") || c.On("json")):
		return input.Errorf("--least: %s holds everything", outputs[0])
	case !c.Cmd.Flags().Changed("svg"):
		return nil
	case c.Text("svg") == "":
		return input.Errorf("--svg: no file is given")
	case slices.ContainsFunc(c.Reads(), func(name string) bool { return files.Same(c.Text("svg"), name) }):
		return input.Errorf("--svg: %s is read already", c.Text("svg"))
	case c.Text("svg") == files.Standard && (c.On("least") || len(outputs) > 0):
		return input.Errorf("%s: standard output is taken by a file named -", append(outputs, "--least")[0])
	case slices.Contains(experiment.Forms(), c.metric):
		return input.Errorf("--svg: the closed forms are in the figure of messages")
	case len(c.run.Algorithms) > figure.MostAlgorithms:
		return input.Errorf("--svg: %d algorithms, at most %d are legible", len(c.run.Algorithms),
			figure.MostAlgorithms)
	}
	return files.CheckWritable("svg", c.Text("svg")) // before the measurements, which may take minutes
}
