package svg

import "strings"

// font is how wide the letters of a font are, from the space to the tilde, in thousandths of their size.
type font struct{ regular, bold [95]uint16 }

// helvetica has the widths of Helvetica, which are also the widths of Arial and Liberation Sans. Pictures name these
// fonts.
var helvetica = font{
	regular: [95]uint16{
		278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
		556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
		500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469,
		556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500,
		278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
	},
	bold: [95]uint16{
		278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
		556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611, 975, 722, 722, 722, 722, 667, 611, 778, 722, 278,
		556, 722, 611, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584,
		556, 333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611, 611, 611, 389, 556,
		333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
	},
}

// dejavu has the widths of DejaVu Sans. A browser without Helvetica and Arial may use it, and few fonts are wider.
var dejavu = font{
	regular: [95]uint16{
		318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636,
		636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295,
		295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838,
		500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521,
		392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
	},
	bold: [95]uint16{
		348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365, 696, 696, 696, 696, 696,
		696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 580, 1000, 774, 762, 734, 830, 683, 683, 821, 837, 372,
		372, 775, 637, 995, 837, 850, 733, 850, 770, 720, 682, 812, 774, 1103, 771, 724, 725, 457, 365, 457, 838,
		500, 500, 675, 716, 593, 716, 678, 435, 716, 712, 343, 343, 665, 343, 1042, 712, 687, 716, 716, 493, 595,
		478, 712, 652, 924, 645, 652, 582, 712, 365, 712, 838,
	},
}

// width returns how wide a text is, by the size of its letters.
func (f *font) width(text string, bold bool) float64 {
	widths, wide := &f.regular, 0
	if bold {
		widths = &f.bold
	}
	for _, r := range text {
		if k := int(r) - ' '; k >= 0 && k < len(widths) {
			wide += int(widths[k])
		} else {
			wide += 1000
		}
	}
	return float64(wide) / 1000
}

// TextWidth returns how wide a text is in a wide font, by the size of its letters: the room to reserve for it if
// something stands next to it.
func TextWidth(text string, bold bool) float64 { return dejavu.width(text, bold) }

// broken breaks a text into lines of a width at most, by the size of its letters. A word that is longer has a line of
// its own.
func broken(text string, most float64, bold bool) (lines []string) {
	for word := range strings.FieldsSeq(text) {
		if last := len(lines) - 1; last >= 0 && helvetica.width(lines[last]+" "+word, bold) <= most {
			lines[last] += " " + word
			continue
		}
		lines = append(lines, word)
	}
	return lines
}
