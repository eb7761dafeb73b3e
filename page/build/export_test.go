package build

import "runtime/debug"

// Installed returns the versions of both modules in a program.
func Installed(info *debug.BuildInfo) []string { return installed(info) }

// Tree contains the files from which a page is built.
type Tree = tree

// Read reads what a page is made of.
func (s Source) Read() (*Tree, error) { return s.read() }

// Code returns the paths of the Go files of a page.
func (t *tree) Code() map[string][]byte { return t.code }

// Shown returns the files of the page that are not made of Go.
func (t *tree) Shown() map[string][]byte { return t.shown }

// Algorithms returns the packages that are instrumented.
func (t *tree) Algorithms() []string { return t.algorithms() }

// Key names the page.
func (t *tree) Key(version string) string { return t.key(version) }

// Run runs a go command.
var Run = run

// RemoveLeftovers removes the folders of builds that were killed.
var RemoveLeftovers = removeLeftovers

// Load reads a page from a cache.
var Load = load

// Cached returns the page in a folder of the cache, nil if it is not there as a whole.
func (t *tree) Cached(folder string) *Site { return t.cached(folder) }

// MostKept is the number of pages that a cache keeps.
const MostKept = mostKept

// Keep writes a page into a cache.
func (s *Site) Keep(cache, folder string) error { return s.keep(cache, folder) }

// Download returns the source of both modules in the module cache.
var Download = download

// Squeeze compresses data in the form of gzip.
var Squeeze = squeeze
