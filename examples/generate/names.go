package main

var firstNames = []string{
	"Ada", "Bram", "Carla", "Dario", "Elin", "Femke", "Gustav", "Hanna", "Ines", "Jonas", "Klara", "Liam", "Mira",
	"Nils", "Olga", "Pablo", "Quinn", "Rosa", "Sven", "Tilda", "Uma", "Viktor", "Wanda", "Yara", "Zeno",
}

var lastNames = []string{
	"Ahlberg", "Bakker", "Castro", "Dubois", "Ekman", "Fischer", "Garcia", "Holm", "Ivarsson", "Jansen", "Keller",
	"Lindqvist", "Moreau", "Novak", "Olsen", "Perez", "Quist", "Rossi", "Schmidt", "Thorne", "Ullman", "Visser", "Weber",
}

type place struct {
	city, country string
	streets       []string
}

var places = []place{
	{"Hamburg", "DE", []string{"Lindenweg", "Hafenstrasse", "Am Markt"}},
	{"Leipzig", "DE", []string{"Gartenweg", "Mühlgasse"}},
	{"Utrecht", "NL", []string{"Oudegracht", "Kanaalstraat"}},
	{"Uppsala", "SE", []string{"Storgatan", "Skolgatan"}},
	{"Bristol", "GB", []string{"Mill Lane", "Orchard Road"}},
	{"Lyon", "FR", []string{"Rue des Tanneurs", "Quai Vert"}},
	{"Portland", "US", []string{"Alder Street", "River Road"}},
	{"Malmö", "SE", []string{"Södra vägen"}},
	{"Porto", "PT", []string{"Rua do Sol", "Travessa Nova"}},
	{"Boston", "US", []string{"Maple Avenue"}},
}

var currencyOf = map[string]string{
	"DE": "EUR", "NL": "EUR", "FR": "EUR", "PT": "EUR", "SE": "SEK", "GB": "GBP", "US": "USD",
}

var methods = []string{"card", "invoice", "transfer"}

var reasons = []string{"damaged", "wrong size", "not as described", "changed their mind", "arrived too late"}

var products = []struct {
	sku, title string
	cents      int
}{
	{"KF-LAMP-01", "Reading lamp, brass", 8900},
	{"KF-MUG-04", "Stoneware mug, set of four", 3200},
	{"KF-RUG-02", "Wool rug, 140 × 200", 24900},
	{"KF-SHELF-03", "Wall shelf, oak", 5900},
	{"KF-CLOCK-01", "Kitchen clock", 4500},
	{"KF-THROW-02", "Linen throw", 6900},
	{"KF-CHAIR-05", "Dining chair, ash", 14900},
	{"KF-VASE-07", "Glass vase, \"Reed\"", 2700},
	{"KF-BOARD-01", "Cutting board, walnut", 3900},
	{"KF-TRAY-02", "Serving tray", 2900},
	{"KF-KETTLE-01", "Enamel kettle", 5200},
	{"KF-CANDLE-09", "Candle, beeswax", 1400},
}
