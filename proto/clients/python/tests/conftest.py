"""The tests run against the marketplace of MARKETPLACE_URL, with a service account that is an IP owner."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from marketplace_client import Marketplace, ServiceAccount

URL = os.environ["MARKETPLACE_URL"]
ACCOUNT = ServiceAccount(os.environ["MARKETPLACE_CLIENT_ID"], os.environ["MARKETPLACE_CLIENT_SECRET"])


@pytest.fixture
def market() -> Iterator[Marketplace]:
    with Marketplace(URL, ACCOUNT) as market:
        yield market
