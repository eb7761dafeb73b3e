// Package figure draws what the experiments of package [github.com/go-election/election/lab/experiment] have
// found, as SVG documents: [Comparison] for algorithms side by side, and [Redundancy] for the figures of the
// paper on the modified bully algorithm.
//
//	cells, err := run.Run(ctx)
//	svg := (&figure.Comparison{Cells: cells, By: experiment.ByMessages, Seeds: run.Seeds}).Draw()
//
// Each is a white sheet, also on a dark page. It loads nothing, and is the same on every machine.
package figure

import "github.com/go-election/election/lab/svg"

// letter is the size of most text in a figure.
const letter = 15.0

const bold = `font-weight="bold"`

// drawing is a figure as it grows.
type drawing struct{ svg.Drawing }
