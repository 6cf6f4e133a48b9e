"""Events of webhooks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

Type = TypeVar("Type", bound=str, covariant=True)
Data = TypeVar("Data", bound=Mapping[str, Any], covariant=True)


@dataclass(frozen=True)
class Event(Generic[Type, Data]):
    """An event of a webhook delivery. A repeated delivery has the same id."""

    id: str
    type: Type
    timestamp: datetime
    tenant_id: str
    data: Data
