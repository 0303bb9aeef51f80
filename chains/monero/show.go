package monero

import (
	"context"
	"errors"
	"fmt"

	"causeway/chains/monero/client"
)

// errOtherOutputs says that the two wallets have not found the same.
var errOtherOutputs = errors.New("the wallet that cannot spend has found other outputs than the signer's")

// shownAtOnce is how many key images are shown in one question. The wallet asks its node about each.
const shownAtOnce = 1_000

// signedImage is a key image with the proof that it belongs to its output.
type signedImage struct {
	Image     string `json:"key_image"`
	Signature string `json:"signature"`
}

// show shows the signer's key images to the wallet that cannot spend, as far as it lacks them, and has it keep them. The caller has the turn
// of the signer's wallet, which has read up to a height.
func (s *Sender) show(ctx context.Context, height int64) error {
	give, err := s.seer.take(ctx)
	if err != nil {
		return err
	}
	defer give()
	at, err := s.seer.ready(ctx)
	if err != nil {
		return err
	}
	seen, err := s.seer.list(ctx)
	if err != nil {
		return err
	}
	lacks := false
	for _, e := range seen {
		lacks = lacks || e.Image == ""
	}
	if !lacks {
		return nil
	}
	if at != height {
		return errForked
	}
	has, err := s.spender.proven(ctx)
	if err != nil {
		return err
	}
	if seen, err = s.seer.outputs(ctx, "all"); err != nil { // their places count
		return err
	}
	s.seer.told = outputs{} // what was spent long ago is told too then
	return s.seer.learn(ctx, seen, has)
}

// proven returns the wallet's key images with their proofs, by the one-time keys of their outputs.
func (w *wallet) proven(ctx context.Context) (map[string]signedImage, error) {
	var signed struct {
		Images []signedImage `json:"signed_key_images"`
	}
	if err := w.server.Call(ctx, &signed, "export_key_images", map[string]any{"all": true}); err != nil {
		return nil, err
	}
	all, err := w.list(ctx)
	if err != nil {
		return nil, err
	}
	byImage := map[string]signedImage{}
	for _, i := range signed.Images {
		byImage[i.Image] = i
	}
	out := map[string]signedImage{}
	for _, e := range all {
		if i, has := byImage[e.Image]; has {
			out[e.Key] = i
		}
	}
	return out, nil
}

// learn gives the wallet the key images that it lacks. A wallet is told by the place of an output in its own list, and another wallet may
// have found the same outputs in another order. One that the other has not found is left, and said at the end.
func (w *wallet) learn(ctx context.Context, seen []entry, has map[string]signedImage) error {
	left := ""
	for from := 0; from < len(seen); {
		images := lacking(seen[from:], has)
		if len(images) == 0 {
			if seen[from].Image == "" {
				left = seen[from].Key
			}
			from++
			continue
		}
		err := w.server.Call(ctx, nil, "import_key_images", map[string]any{"offset": from, "signed_key_images": images})
		if client.Answered(err) {
			return fmt.Errorf("%w: %w", errOtherOutputs, err)
		}
		if err != nil {
			return err
		}
		from += len(images)
	}
	if err := w.server.Call(ctx, nil, "store", nil); err != nil {
		return err
	}
	if left != "" {
		return fmt.Errorf("%w: the output with the key %.64s", errOtherOutputs, left)
	}
	return nil
}

// lacking returns the key images of the first outputs in a row without one.
func lacking(seen []entry, has map[string]signedImage) (out []signedImage) {
	for _, e := range seen {
		image, found := has[e.Key]
		if e.Image != "" || !found || len(out) == shownAtOnce {
			break
		}
		out = append(out, image)
	}
	return out
}
