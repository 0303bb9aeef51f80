package panel

import (
	"causeway/internal/people"
	"causeway/internal/web/room"
)

// sitesPart lists the sites with payers' pages in a frame, and the script for them.
func sitesPart(v *visit) (room.Part, error) {
	named, err := v.panel.Store.Sites(v.Context(), v.Merchant)
	if err != nil {
		return room.Part{}, err
	}
	may := v.May(people.Embed)
	t := &room.Table{Columns: []room.Column{{Name: "Site"}, {Name: ""}}, Empty: "No site shows them."}
	for _, site := range named {
		row := []room.Cell{room.Copied(site), {}}
		if may {
			row[1] = room.Cell{Forms: []room.Form{{Action: Prefix + "look/sites/remove", Verb: "Remove", Danger: true, Confirm: "Remove this site? Its pages then lead payers to ours.",
				Fields: []room.Field{{Name: "site", Kind: "hidden", Value: site}}}}}
		}
		t.Rows = append(t.Rows, row)
	}
	out := room.Part{Heading: "Sites that show them", Table: t,
		Note: "Pages of these sites open the pages of your payins, payment requests and payment links in a window of their own. No other site can show them."}
	out.Facts = []room.Fact{{Name: "Script", Cell: room.Copied(v.panel.EmbedScript)}, {Name: "Script of this version", Cell: room.Copied(v.panel.EmbedPinned)}}
	if may {
		out.Forms = []room.Form{{Action: Prefix + "look/sites", Verb: "Add a site",
			Fields: []room.Field{{Name: "site", Label: "Site", Kind: "text", Required: true, Hint: "as https://shop.example, without a path"}}}}
	}
	return out, nil
}

func addSite(v *visit) (outcome, error) {
	site, err := v.admin().AddSite(v.Context(), v.Merchant, v.given("site"))
	return outcome{said: site + " shows the payers' pages from now on."}, err
}

func dropSite(v *visit) (outcome, error) {
	return outcome{said: "The site shows the payers' pages no more."}, v.admin().DropSite(v.Context(), v.Merchant, v.given("site"))
}
