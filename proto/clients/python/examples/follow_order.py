"""Prints each change of an order until it ends: follow_order.py <order id>."""

import sys
import time

from marketplace_client import Marketplace, ok
from marketplace_client.generated.api.orders import get_order
from marketplace_client.generated.models import OrderState

ENDED = {OrderState.COMPLETED, OrderState.CANCELLED, OrderState.DECLINED}
PAUSE_SECONDS = 2.0


def main() -> None:
    [order_id] = sys.argv[1:]
    state: OrderState | None = None
    with Marketplace.from_environment() as market:
        while state not in ENDED:
            order = ok(get_order.sync(order_id, client=market.client))
            if order.state != state:
                state = order.state
                print(order.updated_time.isoformat(), order.serial_number, state, flush=True)
            else:
                time.sleep(PAUSE_SECONDS)


if __name__ == "__main__":
    main()
