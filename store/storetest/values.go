package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-election/election/store"
)

func absent(r *run) error {
	s, err := r.client()
	if err != nil {
		return err
	}
	key := r.key()
	switch _, _, err := r.get(s, key); {
	case err == nil:
		return fault("Get of a key without a value returns no error")
	case !errors.Is(err, store.ErrAbsent):
		return fault("Get of a key without a value returns an error that does not wrap store.ErrAbsent: %w", err)
	}
	revision, err := r.create(s, r.key(), value(1, "a", 1))
	if err != nil {
		return err
	}
	_, err = r.put(s, key, value(2, "b", 1), revision)
	if err := conflict(err, "with a revision, at a key without a value,"); err != nil {
		return err
	}
	if _, _, err := r.get(s, key); !errors.Is(err, store.ErrAbsent) {
		return fmt.Errorf("a value is stored by a Put that returned ErrConflict (Get returns: %v)", err)
	}
	return nil
}

func create(r *run) error {
	s, err := r.client()
	if err != nil {
		return err
	}
	key, first, second := r.key(), value(1, "a", 1), value(1, "a", 2)
	mine := bytes.Clone(first)
	revision, err := r.create(s, key, mine)
	if err != nil {
		return err
	}
	mine[0]++ // the caller may use it again
	if err := r.stored(s, key, first, revision); err != nil {
		return err
	}
	_, err = r.put(s, key, value(1, "b", 1), "")
	if err := conflict(err, "with an empty revision, at a key with a value,"); err != nil {
		return err
	}
	if err := r.stored(s, key, first, revision); err != nil {
		return fmt.Errorf("after a Put that returned ErrConflict: %w", err)
	}
	next, err := r.update(s, key, second, revision)
	switch {
	case err != nil:
		return err
	case next == revision:
		return fmt.Errorf("two values have the revision %.80q", next)
	}
	if err := r.stored(s, key, second, next); err != nil {
		return err
	}
	got, _, err := r.get(s, key)
	if err == nil && len(got) > 0 {
		got[0]++ // nor does what a caller does with it change the store
		err = r.stored(s, key, second, next)
	}
	return err
}

func stale(r *run) error {
	all, err := r.clients(2)
	if err != nil {
		return err
	}
	key := r.key()
	var revisions []string
	revision := ""
	for beat := range 4 {
		if revision, err = r.put(all[0], key, value(1, "a", beat), revision); err != nil {
			return fault("Put number %d of one client alone: %w", beat+1, err)
		}
		revisions = append(revisions, revision)
	}
	other, err := r.create(all[0], r.key(), value(1, "c", 1))
	if err != nil {
		return err
	}
	for beat, s := range all {
		for i, revision := range append([]string{"", other}, revisions[:3]...) {
			_, err := r.put(s, key, value(2, "b", 10*beat+i), revision)
			what := "with an earlier revision"
			switch {
			case revision == other && revision != revisions[3]:
				what = "with the revision of another key"
			case revision == other:
				continue // each key counts for itself
			case revision == "":
				what = "with an empty revision, at a key with a value,"
			}
			if err := conflict(err, "%s", what); err != nil {
				return err
			}
		}
	}
	if err := r.stored(all[1], key, value(1, "a", 3), revisions[3]); err != nil {
		return fmt.Errorf("after Puts that returned ErrConflict: %w", err)
	}
	return nil
}

// oddKeys differ in what some systems ignore, forbid or interpret.
var oddKeys = []string{
	"a", "A", "a ", " a", "a.", ".a", ".", "..", "a/b", "a//b", "/a", "a/", "a.b", "a:b", "a-b", "a_b", "a+b", "a%2Fb", "a%b",
	"a*b", "a?b", "a>b", "*", ">", "a,b", "a;b", "a'b", `a"b`, `a\b`, "a|b", "a&b=c", "a#b", "a$b", "{a}b", "[a]b", "(a)b",
	"~a", "a@b", "a!b", "a^b", "a`b", "ä", "a\u0308", "Ä", "日本", "🙂", strings.Repeat("k", 100), strings.Repeat("k", 101),
}

func keys(r *run) error {
	s, err := r.client()
	if err != nil {
		return err
	}
	prefix := r.key() + "/"
	revisions := make([]string, len(oddKeys))
	for i, odd := range oddKeys {
		key := prefix + odd
		switch revisions[i], err = r.put(s, key, value(1, odd, i), ""); {
		case errors.Is(err, store.ErrConflict):
			return fmt.Errorf("the key %q is taken for one of %q", odd, oddKeys[:i])
		case err != nil:
			return fault("Put does not accept the key %q: %w", odd, err)
		}
		r.keys = append(r.keys, key)
	}
	for i, odd := range oddKeys {
		if err := r.stored(s, prefix+odd, value(1, odd, i), revisions[i]); err != nil {
			return fmt.Errorf("key %q: %w", odd, err)
		}
	}
	return nil
}

// oddValues are values that package elector does not write.
var oddValues = []struct {
	name  string
	value []byte
}{
	{"an empty value", nil},
	{"spaces", []byte("  ")},
	{"bytes that are not UTF-8", []byte("\x00\xff\xfe\r\n\x80")},
	{"JSON of another kind", []byte(`{"b":1, "a":[true,null,1e3],"v":1}` + "\n")},
	{"JSON with spaces", []byte(` {"v": 1, "owner": "a"} `)},
	{"64 KiB", bytes.Repeat([]byte("0123456789abcdef"), 4096)},
	{"1 MiB", bytes.Repeat([]byte("0123456789abcdef"), 1<<16)},
}

func values(r *run) error {
	s, err := r.client()
	if err != nil {
		return err
	}
	for _, owner := range []string{"a", "", `"a" \ <b> & 'c'`, "ä 日本 🙂\u2028", "line\nbreak\t", strings.Repeat("long ", 800)} {
		key, v := r.key(), value(1<<53-1, owner, 1<<31-1)
		revision, err := r.create(s, key, v)
		if err == nil {
			err = r.stored(s, key, v, revision)
		}
		if err != nil {
			return fmt.Errorf("a value with the owner %.50q: %w", owner, err)
		}
	}
	var refused []string
	for _, odd := range oddValues {
		key := r.key()
		revision, err := r.put(s, key, odd.value, "")
		if err != nil {
			refused = append(refused, odd.name)
			continue
		}
		if err := r.stored(s, key, odd.value, revision); err != nil {
			return fmt.Errorf("%s: %w", odd.name, err)
		}
	}
	if len(refused) > 0 {
		return notPromised("Put refuses %s; package elector writes JSON of less than 4 KiB", strings.Join(refused, ", "))
	}
	return nil
}

func fresh(r *run) error {
	all, err := r.clients(2)
	if err != nil {
		return err
	}
	key, revision := r.key(), ""
	for beat := range 20 {
		if revision, err = r.put(all[0], key, value(1, "a", beat), revision); err != nil {
			return fault("Put number %d of one client alone: %w", beat+1, err)
		}
		_, at, err := r.get(all[1], key)
		switch {
		case err != nil && !errors.Is(err, store.ErrAbsent):
			return err
		case at != revision:
			return notPromised("Get may return an old value, so a candidate may try in vain; its Put is refused")
		}
	}
	return nil
}

func repeated(r *run) error {
	s, err := r.client()
	if err != nil {
		return err
	}
	key, a, b := r.key(), value(1, "a", 1), value(1, "b", 1)
	first, err := r.create(s, key, a)
	if err != nil {
		return err
	}
	second, err := r.update(s, key, b, first)
	if err != nil {
		return err
	}
	third, err := r.update(s, key, a, second)
	if err != nil {
		return err
	}
	if third == first {
		return notPromised("a revision is a checksum of the value, so two equal values have the same; package elector " +
			"writes no value twice")
	}
	_, err = r.put(s, key, b, first)
	return conflict(err, "with the revision of an equal, earlier value")
}

func deleted(r *run) error {
	if r.o.Delete == nil {
		return notTested("there is no other way to delete a key")
	}
	s, err := r.client()
	if err != nil {
		return err
	}
	for beat := 1; beat <= 3; beat++ {
		key, revision := r.key(), ""
		for i := range beat {
			if revision, err = r.put(s, key, value(1, "a", i), revision); err != nil {
				return fault("Put number %d of one client alone: %w", i+1, err)
			}
		}
		if err := r.o.Delete(r.ctx, key); err != nil {
			return fault("Delete: %w", err)
		}
		if !r.until(func() bool { _, _, err = r.get(s, key); return errors.Is(err, store.ErrAbsent) }) {
			return fault("Get of a key that was deleted does not return store.ErrAbsent, but: %v", err)
		}
		_, err := r.put(s, key, value(2, "a", 1), revision)
		if err := conflict(err, "with a revision from before a deletion"); err != nil {
			return err
		}
		other := ""
		for i := range beat {
			if other, err = r.put(s, key, value(3, "b", i), other); err != nil {
				return fault("Put after a deletion: %w", err)
			}
		}
		switch _, err := r.put(s, key, value(4, "a", 1), revision); {
		case err == nil:
			return notPromised("after a deletion revisions start again, so a Put from before it may overwrite a later " +
				"value: delete no key while a group runs")
		case !errors.Is(err, store.ErrConflict):
			return conflict(err, "with a revision from before a deletion")
		}
	}
	return nil
}
