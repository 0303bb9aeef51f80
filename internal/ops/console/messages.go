package console

import (
	"slices"

	"causeway/internal/message"
)

// messagesPart is where the operator is sent messages, and what of.
func messagesPart(v *visit) (part, error) {
	own, err := v.OwnMail(v.Context(), v.Name)
	if err != nil {
		return part{}, err
	}
	out := part{Heading: "Messages", Note: "You are told of nothing by e-mail. Give an address, and the code that is sent there."}
	switch {
	case !v.console.Mails:
		out.Note, out.Mood = "This service sends no e-mail: SMTP_URL is not set.", "warn"
	case own.Mail != "":
		out.Note = "You are told by e-mail, at " + own.Mail + "."
	}
	out.Forms = []form{{Action: Prefix + "account/mail", Verb: "Send a code", Note: "Leave the address empty to be sent nothing.", Fields: []field{
		{Name: "mail", Label: "E-mail", Kind: "email"}, {Name: "password", Label: "Password", Kind: "password", Required: true, Auto: "current-password"}}}}
	if own.Offered != "" {
		out.Forms = append(out.Forms, form{Action: Prefix + "account/mail/code", Verb: "Confirm", Note: "A code was sent to " + own.Offered + ".",
			Fields: []field{{Name: "code", Label: "Code", Kind: "text", Required: true, Auto: "off"}}})
	}
	topics := field{Name: "topics", Label: "Tell me of", Kind: "checks"}
	for _, t := range message.OfOperators {
		topics.Options = append(topics.Options, option{Value: string(t.Topic), Text: t.Words, Chosen: !slices.Contains(own.Quiet, string(t.Topic))})
	}
	out.Forms = append(out.Forms, form{Action: Prefix + "account/messages", Verb: "Save", Fields: []field{topics}})
	return out, nil
}

// offerMail sends a code to an address that the operator gives, or takes the operator's address away.
func offerMail(v *visit) (outcome, error) {
	if err := v.checkPassword(v.PostForm.Get("password")); err != nil {
		return outcome{}, err
	}
	text := "A code was sent to " + v.given("mail") + "."
	if v.given("mail") == "" {
		text = "You are sent nothing from now on."
	}
	return said(text, v.OfferOwnMail(v.Context(), v.Name, v.given("mail"), v.session.Hash))
}

// confirmMail takes the code that was sent to an address.
func confirmMail(v *visit) (outcome, error) {
	return said("From now on you are told by e-mail.", v.ConfirmOwnMail(v.Context(), v.Name, v.given("code"), v.session.Hash))
}

// setTopics switches topics on and off.
func setTopics(v *visit) (outcome, error) {
	return said("Your choice was saved.", v.SetOwnTopics(v.Context(), v.Name, v.PostForm["topics"], v.session.Hash))
}
