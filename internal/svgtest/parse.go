package svgtest

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// point is a place.
type point struct{ x, y float64 }

// shape is an element that is drawn, with the group that it is in.
type shape struct {
	tag    string
	attr   map[string]string
	text   string
	group  int // the number of its group, 0 for none
	class  string
	title  string
	points []point // its corners, or some on its rim; the ends of a line
	paths  [][]point
}

func (s *shape) number(name string) float64 {
	x, _ := strconv.ParseFloat(s.attr[name], 64)
	return x
}

// parse reads a picture in the order in which it is drawn.
func parse(picture string) (shapes []shape, width, height float64, err error) {
	var groups []shape
	count, inTitle := 0, false
	for dec := xml.NewDecoder(strings.NewReader(picture)); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return shapes, width, height, nil
		}
		if err != nil {
			return nil, 0, 0, err
		}
		switch token := token.(type) {
		case xml.StartElement:
			s := shape{tag: token.Name.Local, attr: map[string]string{}}
			for _, a := range token.Attr {
				s.attr[a.Name.Local] = a.Value
			}
			inTitle = s.tag == "title"
			switch s.tag {
			case "svg":
				if _, err := fmt.Sscanf(s.attr["viewBox"], "0 0 %f %f", &width, &height); err != nil {
					return nil, 0, 0, fmt.Errorf("viewBox %q: %w", s.attr["viewBox"], err)
				}
			case "g":
				count++
				groups = append(groups, shape{group: count, class: s.attr["class"]})
			case "title", "desc", "style":
			default:
				if len(groups) > 0 {
					g := &groups[len(groups)-1]
					s.group, s.class, s.title = g.group, g.class, g.title
				}
				s.outline()
				shapes = append(shapes, s)
			}
		case xml.EndElement:
			if token.Name.Local == "g" {
				groups = groups[:len(groups)-1]
			}
		case xml.CharData:
			switch text := strings.TrimSpace(string(token)); {
			case text == "":
			case inTitle && len(groups) > 0:
				groups[len(groups)-1].title += text
			case len(shapes) > 0 && shapes[len(shapes)-1].tag == "text":
				shapes[len(shapes)-1].text += text
				shapes[len(shapes)-1].outline()
			}
		}
	}
}

// outline finds the corners of a shape.
func (s *shape) outline() {
	switch s.tag {
	case "line":
		s.points = []point{{s.number("x1"), s.number("y1")}, {s.number("x2"), s.number("y2")}}
	case "rect":
		x, y, w, h := s.number("x"), s.number("y"), s.number("width"), s.number("height")
		s.points = []point{{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}}
	case "circle":
		for k := range 32 {
			sin, cos := math.Sincos(math.Pi * float64(k) / 16)
			s.points = append(s.points, point{s.number("cx") + s.number("r")*cos, s.number("cy") +
				s.number("r")*sin})
		}
	case "polygon", "polyline":
		numbers := strings.FieldsFunc(s.attr["points"], func(r rune) bool { return r == ' ' || r == ',' })
		for i := 0; i+1 < len(numbers); i += 2 {
			x, _ := strconv.ParseFloat(numbers[i], 64)
			y, _ := strconv.ParseFloat(numbers[i+1], 64)
			s.points = append(s.points, point{x, y})
		}
	case "text":
		s.points = s.reach()
	case "path":
		s.paths = ways(s.attr["d"])
		for _, w := range s.paths {
			s.points = append(s.points, w...)
		}
		return
	}
	s.paths = [][]point{s.points}
}

// reach returns where the letters of a text are, somewhat less than the room that they have.
func (s *shape) reach() []point {
	x, y, size := s.number("x"), s.number("y"), s.number("font-size")
	wide := size * float64(len([]rune(s.text))) / 2
	from := map[string]float64{"middle": x - wide/2, "end": x - wide}
	left, ok := from[s.attr["text-anchor"]]
	if !ok {
		left = x
	}
	all := []point{{left, y - size*0.35}, {left + wide/2, y - size*0.35}, {left + wide, y - size*0.35}}
	if s.attr["transform"] != "" { // read from below
		for i, p := range all {
			all[i] = point{x + p.y - y, y - p.x + x}
		}
	}
	return all
}

// ways returns the points of a path of moves, lines, curves and arcs; of an arc, its ends.
func ways(d string) (all [][]point) {
	var numbers []float64
	command := byte(0)
	flush := func() {
		n := len(numbers)
		at := func(i int) point { return point{numbers[i], numbers[i+1]} }
		switch {
		case command == 'M' && n == 2:
			all = append(all, []point{at(0)})
		case (command == 'L' || command == 'A') && n >= 2 && len(all) > 0:
			all[len(all)-1] = append(all[len(all)-1], at(n-2))
		case command == 'C' && n == 6 && len(all) > 0:
			way := &all[len(all)-1]
			from := (*way)[len(*way)-1]
			for k := 1; k <= 16; k++ {
				t := float64(k) / 16
				a, b, c, e := (1-t)*(1-t)*(1-t), 3*t*(1-t)*(1-t), 3*t*t*(1-t), t*t*t
				*way = append(*way, point{a*from.x + b*numbers[0] + c*numbers[2] + e*numbers[4],
					a*from.y + b*numbers[1] + c*numbers[3] + e*numbers[5]})
			}
		}
		numbers = nil
	}
	for field := range strings.FieldsSeq(spaced(d)) {
		if x, err := strconv.ParseFloat(field, 64); err == nil {
			numbers = append(numbers, x)
			continue
		}
		flush()
		command = field[0]
	}
	flush()
	return all
}

// spaced puts spaces around the letters of a path.
func spaced(d string) string {
	var b strings.Builder
	for _, r := range d {
		if r >= 'A' {
			b.WriteString(" " + string(r) + " ")
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
