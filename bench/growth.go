package main

import (
	"context"
	"fmt"
	"slices"
)

// sizes are the numbers of others, up to the one that was asked for.
func sizes(most int) []int {
	list := []int{1, 100, 10_000, 100_000}
	list = slices.DeleteFunc(list, func(n int) bool { return n >= most })
	return append(list, most)
}

// mostOnDisk is how many files of a kind are laid out on a disk: to remove more
// takes minutes on some.
const mostOnDisk = 10_000

// growth measures the paths that know the exact name of what they look for,
// among more and more files of others.
func (b *bench) growth(ctx context.Context, r *result) error {
	scenes, err := b.crowds()
	if err != nil {
		return err
	}
	var cases []*benchCase
	for _, s := range scenes {
		cases = append(cases, b.stopWithout(s), b.promptWithout(s), b.toolInLoop(s), b.goesOn(s, goesOnName, 0))
	}
	if err := b.measure(ctx, cases, b.settings.n); err != nil {
		return err
	}
	for _, c := range cases {
		r.Growth = append(r.Growth, grow(newRow(c), r.Growth))
	}
	slices.SortStableFunc(r.Growth, func(x, y row) int { return byKind(x, y, cases) })
	if b.settings.self {
		return nil
	}
	return b.lists(ctx, scenes, r)
}

// byKind keeps the sizes of a case together.
func byKind(x, y row, cases []*benchCase) int {
	at := func(r row) int {
		return slices.IndexFunc(cases, func(c *benchCase) bool { return c.name == r.Case && c.place == r.Place })
	}
	return at(x) - at(y)
}

// crowds are on the disk and on a tmpfs, the smallest first.
func (b *bench) crowds() (scenes []scene, err error) {
	place, root := b.work.quick()
	if place == "tmpfs" {
		scenes, err = crowds("disk", b.work.disk, min(b.settings.crowd, mostOnDisk))
	}
	if err != nil {
		return nil, err
	}
	more, err := crowds(place, root, b.settings.crowd)
	return append(scenes, more...), err
}

func crowds(place, root string, most int) (scenes []scene, err error) {
	for _, n := range sizes(most) {
		s, err := newScene(place, root, fmt.Sprintf("with-%d-others", n))
		if err == nil {
			s, err = s.crowded(n)
		}
		if err != nil {
			return nil, err
		}
		scenes = append(scenes, s)
	}
	return scenes, flush()
}

// grow has one target, against the case with one: that of the case itself was
// told before. It compares ratios, not times: the floor's runs beside each case take out
// what the machine did meanwhile. The case with one comes before the others.
func grow(r row, before []row) row {
	r.Target, r.OK = 0, true
	for _, one := range before {
		if one.Case == r.Case && one.Place == r.Place && one.Others == 1 {
			r.VsOne = r.Ratio / one.Ratio
			r.OK = r.VsOne <= flat
		}
	}
	return r
}
