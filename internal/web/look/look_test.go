package look

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"regexp"
	"strings"
	"testing"
)

func picture(width, height int) image.Image {
	out := image.NewNRGBA(image.Rect(0, 0, width, height))
	for x := range width {
		out.Set(x, height/2, color.NRGBA{200, 30, 90, 255})
	}
	return out
}

func encoded(t *testing.T, write func(*bytes.Buffer) error) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A logo is drawn anew: nothing that follows the picture in its file is kept, and a large one becomes as large as it is shown.
func TestALogoIsDrawnAnew(t *testing.T) {
	t.Parallel()
	small := encoded(t, func(out *bytes.Buffer) error { return png.Encode(out, picture(100, 50)) })
	first, err := ReadLogo(append(bytes.Clone(small), "<script>alert(1)</script>"...))
	if err != nil || bytes.Contains(first.Content, []byte("script")) || len(first.Hash) != 32 {
		t.Fatalf("%v, %+v", err, first)
	}
	second, err := ReadLogo(small)
	if err != nil || second.Hash != first.Hash {
		t.Errorf("the same pixels are %s and %s, %v", first.Hash, second.Hash, err)
	}
	for name, file := range map[string][]byte{
		"wide": encoded(t, func(out *bytes.Buffer) error { return jpeg.Encode(out, picture(1600, 100), nil) }),
		"high": encoded(t, func(out *bytes.Buffer) error { return png.Encode(out, picture(20, 2000)) }),
	} {
		logo, err := ReadLogo(file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		config, form, err := image.DecodeConfig(bytes.NewReader(logo.Content))
		if err != nil || form != "png" || config.Width > shownWidth || config.Height > shownHeight {
			t.Errorf("%s became %+v %s, %v", name, config, form, err)
		}
	}
}

func TestWhatIsNoLogo(t *testing.T) {
	t.Parallel()
	good := encoded(t, func(out *bytes.Buffer) error { return png.Encode(out, picture(100, 50)) })
	bomb := bytes.Clone(good)
	copy(bomb[16:], []byte{0, 1, 0, 0, 0, 1, 0, 0}) // says 65536 by 65536 pixels
	binary.BigEndian.PutUint32(bomb[29:], crc32.ChecksumIEEE(bomb[12:29]))
	for name, c := range map[string]struct {
		file []byte
		want error
	}{
		"SVG":          {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), ErrForm},
		"GIF":          {encoded(t, func(out *bytes.Buffer) error { return gif.Encode(out, picture(100, 50), nil) }), ErrForm},
		"nothing":      {nil, ErrForm},
		"half":         {good[:len(good)/2], ErrForm},
		"too large":    {make([]byte, LargestLogo+1), ErrLarge},
		"a bomb":       {bomb, ErrPixels},
		"a dot":        {encoded(t, func(out *bytes.Buffer) error { return png.Encode(out, picture(100, 8)) }), ErrPixels},
		"a long line":  {encoded(t, func(out *bytes.Buffer) error { return png.Encode(out, picture(2049, 20)) }), ErrPixels},
		"a text alone": {[]byte("hello"), ErrForm},
	} {
		if logo, err := ReadLogo(c.file); !errors.Is(err, c.want) || logo != nil {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

var variable = regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{6})`)

// Whatever colour a merchant takes, each text on it and in it can be read, in light and dark.
func TestEveryColourCanBeRead(t *testing.T) {
	t.Parallel()
	for r := 0; r <= 255; r += 15 {
		for g := 0; g <= 255; g += 15 {
			for b := 0; b <= 255; b += 15 {
				c := Colour{uint8(r), uint8(g), uint8(b)}
				bright, dim, _ := strings.Cut(Styles(c), "@media")
				readable(t, c, bright, light)
				readable(t, c, dim, dark)
			}
		}
	}
}

func readable(t *testing.T, c Colour, css string, s scheme) {
	t.Helper()
	of := map[string]Colour{"card": s.card, "paper": s.paper}
	for _, found := range variable.FindAllStringSubmatch(css, -1) {
		of[found[1]], _ = ReadColour(found[2])
	}
	for _, pair := range [][2]string{{"on-accent", "accent"}, {"accent-ink", "accent-back"}, {"accent", "card"}, {"accent", "paper"}} {
		if ratio := Contrast(of[pair[0]], of[pair[1]]); ratio < Readable || len(of) != 6 {
			t.Errorf("%s: %s on %s has %.2f", c, pair[0], pair[1], ratio)
		}
	}
}

func TestColoursThatAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"#0F766E": "0f766e", "0f766e": "0f766e", "#fff": "", "#12345g": "", "red": "", "": "", "#+12345": "", "#0f766e;": ""} {
		c, ok := ReadColour(text)
		if ok != (want != "") || ok && c.String() != want {
			t.Errorf("%q: %s, %v", text, c, ok)
		}
	}
}
