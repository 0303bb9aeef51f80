package pay

import "time"

// DayZone is where days begin and end for filters, lists and plots, UTC-03:00 (api-v1 §General conventions 3);
// list_bucket in the database agrees.
var DayZone = time.FixedZone("UTC-03:00", -3*60*60)
