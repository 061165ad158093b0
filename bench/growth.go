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
func (b *bench) growth(ctx context.Context, r *record) error {
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
		c.target = 0 // that of the case without others
		r.addCase("Crowd", c)
	}
	r.targets = append(r.targets, growths(cases)...)
	if b.settings.self {
		return nil
	}
	return b.lists(ctx, scenes, r)
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

// growths compares each case with the same one among one other: by ratios to the floor
// and not by times, which takes out what else the machine did.
func growths(cases []*benchCase) (targets []target) {
	for _, one := range cases {
		for _, c := range cases {
			if one.others == 1 && c.others > 1 && c.name == one.name && c.place == one.place {
				targets = append(targets, target{c.label() + ", times that with one", c.ratio() / one.ratio(), flat})
			}
		}
	}
	return targets
}
