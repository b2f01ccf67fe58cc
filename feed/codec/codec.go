package codec

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sigengine/sigengine/feed"
	"github.com/sigengine/sigengine/feed/venue"
	"github.com/sigengine/sigengine/feed/wire"
)

// The names.
const (
	JSON        = "json"
	Binary      = "binary"
	BinanceSpot = "binance-spot"
	BinanceUSDM = "binance-usdm"
)

// ErrUnknown: no codec has that name. The error lists those there are.
var ErrUnknown = errors.New("unknown codec")

// Names returns all names, in the order of documentation.
func Names() []string { return []string{JSON, Binary, BinanceSpot, BinanceUSDM} }

// New returns a new decoder of the named codec. Errors: ErrUnknown, venue.ErrTrades.
func New(name string, options feed.DecoderOptions) (feed.Decoder, error) {
	switch name {
	case JSON:
		return wire.NewJSONDecoder(options), nil
	case Binary:
		return wire.NewBinaryDecoder(options), nil
	case BinanceSpot:
		return binance(venue.Spot, options)
	case BinanceUSDM:
		return binance(venue.USDM, options)
	}
	return nil, fmt.Errorf("%w %q; there are: %s", ErrUnknown, name, strings.Join(Names(), ", "))
}

func binance(market venue.Market, options feed.DecoderOptions) (feed.Decoder, error) {
	decoder, err := venue.NewBinance(market, options)
	if err != nil {
		return nil, err // not a nil *venue.Binance inside an interface
	}
	return decoder, nil
}
