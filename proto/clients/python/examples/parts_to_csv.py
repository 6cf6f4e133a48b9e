"""Writes all parts of the organization to standard output as CSV."""

import csv
import sys

from marketplace_client import Marketplace
from marketplace_client.generated.api.parts import list_parts
from marketplace_client.generated.models import ListPartsView


def main() -> None:
    rows = csv.writer(sys.stdout)
    rows.writerow(["id", "serialNumber", "title", "state", "createdTime"])
    with Marketplace.from_environment() as market:
        for part in market.pages(list_parts.sync, view=ListPartsView.IP_OWNER, page_size=50):
            rows.writerow([part.id, part.serial_number, part.title or "", part.state, part.created_time.isoformat()])


if __name__ == "__main__":
    main()
