package key

import "testing"

// Every key that a chord may have has codes of its own on every system.
func TestCodesAreDistinct(t *testing.T) {
	keys := 0
	syms, codes, vks, macs := map[uint32]string{}, map[int]string{}, map[uint16]string{}, map[int]string{}
	for _, k := range table {
		if k.MayFocus() {
			keys++
		}
		if syms[k.Sym]+codes[k.Code] != "" || k.Code == 0 {
			t.Errorf("%s has the keysym of %q and the code of %q", k.Name, syms[k.Sym], codes[k.Code])
		}
		if vks[k.VK] != "" || macs[k.Mac] != "" {
			t.Errorf("%s has the virtual key of %q and the Mac code of %q", k.Name, vks[k.VK], macs[k.Mac])
		}
		syms[k.Sym], codes[k.Code] = k.Name, k.Name
		if k.VK != 0 {
			vks[k.VK] = k.Name
		}
		if k.Mac != none {
			macs[k.Mac] = k.Name
		}
	}
	if keys != 26+10+12 {
		t.Errorf("%d keys may move the focus", keys)
	}
}

func TestEveryPrintableCharacterHasAKey(t *testing.T) {
	for char := byte(' '); char <= '~'; char++ {
		if k, ok := Types(char); !ok || k.Name != string(char) && k.Shifted != char {
			t.Errorf("%q: got %+v, %t", char, k, ok)
		}
	}
}

func TestOnlyKeysOfChordsArePressed(t *testing.T) {
	for _, name := range []string{"", "-", "escape", "F1", "Q"} {
		if k, err := Of(Chord{Ctrl: true, Key: name}); err == nil {
			t.Errorf("%q: got %+v", name, k)
		}
	}
}
