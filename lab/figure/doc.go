// Package figure draws what the experiments of package [github.com/go-election/election/lab/experiment] have
// found, as SVG documents: [Comparison] for algorithms side by side, and [Redundancy] for the figures of the
// paper on the modified bully algorithm.
//
//	cells, err := run.Run(ctx)
//	svg := (&figure.Comparison{Cells: cells, By: experiment.ByMessages, Seeds: run.Seeds}).Draw()
//
// A figure follows the light or dark scheme of its reader, and is legible on a screen of 390 pixels. It loads
// nothing, and is the same on every machine.
package figure

import "github.com/go-election/election/lab/svg"

const bold = `font-weight="bold"`

// drawing is a figure as it grows.
type drawing struct{ svg.Drawing }
