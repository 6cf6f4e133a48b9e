"""Answers each open RFQ of a maker that has no offer yet with a price from a table, as a draft or submitted."""

import sys
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from marketplace_client import ApiError, Marketplace, ok
from marketplace_client.generated.api.factories import list_factories
from marketplace_client.generated.api.offer_lifecycle import create_offer, submit_offer
from marketplace_client.generated.api.offers import list_offers
from marketplace_client.generated.api.rfqs import list_rfqs
from marketplace_client.generated.models import (
    ListFactoriesView,
    ListOffersView,
    ListRfqsView,
    MoneyInput,
    OfferInput,
    PriceBreakInput,
    Rfq,
    RfqState,
)

#: Price of one piece by the least quantity, in the currency of the RFQ, and the days until it leaves the factory.
PRICES = [(1, Decimal("120.00"), 21), (10, Decimal("84.50"), 28), (100, Decimal("61.20"), 35)]


def offer_for(rfq: Rfq, factory_id: str) -> OfferInput:
    breaks = [
        PriceBreakInput(
            min_quantity=least, unit_price=MoneyInput(amount=str(price), currency=rfq.currency), lead_time_days=days
        )
        for least, price, days in PRICES
    ]
    valid_until = datetime.now(tz=UTC) + timedelta(days=30)
    return OfferInput(rfq_id=rfq.id, factory_id=factory_id, price_breaks=breaks, valid_until=valid_until)


def main() -> None:
    with Marketplace.from_environment() as market:
        factory = next(market.pages(list_factories.sync, view=ListFactoriesView.MANUFACTURER, active=True))
        offers = market.pages(list_offers.sync, view=ListOffersView.MANUFACTURER, page_size=50)
        answered = {offer.rfq_id for offer in offers}
        for rfq in market.pages(list_rfqs.sync, view=ListRfqsView.MANUFACTURER, state=RfqState.OPEN, page_size=50):
            if rfq.id in answered:
                continue
            try:
                offer = ok(create_offer.sync(client=market.client, body=offer_for(rfq, factory.id)))
                if "--submit" in sys.argv:
                    submit_offer.sync(offer.id, client=market.client)
                print(f"{rfq.serial_number}: {offer.id}")
            except ApiError as error:
                print(f"{rfq.serial_number}: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
