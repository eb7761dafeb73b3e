package stores

import (
	"context"
	"net/url"

	"github.com/go-election/election/input"
	"github.com/go-election/election/store"
	"github.com/go-election/election/store/filestore"
)

var file = &Engine{
	Scheme: "file",
	Form:   "file:///var/lib/orders",
	Open: func(_ context.Context, u *url.URL, _ string) (store.Store, func() error, error) {
		if u.Host != "" || u.Path == "" {
			return nil, nil, input.Errorf("%.80q: the name of the directory begins with a slash, as in file:///var/lib/orders",
				u)
		}
		s, err := filestore.New(u.Path)
		return s, nil, err
	},
	Remove: "rm DIRECTORY/storetest*",
	Limits: []string{"All members run on one machine, and the directory is on a disk of it."},
}
