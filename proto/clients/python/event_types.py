"""Writes the types of webhook events, which openapi-python-client leaves out."""

from __future__ import annotations

from keyword import iskeyword
from typing import Any

HEAD = '''"""The data of webhook events: what the JSON of a delivery has. A later version can add keys and types."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

from ..event import Event
'''
#: A longer enumeration, such as that of the currencies, is a text.
MAX_VALUES = 30
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


def event_types(document: dict[str, Any]) -> str:
    """A module with a `TypedDict` for each object, and `WebhookEvent`, whose `type` tells the keys of its `data`."""
    types = _Types(document["components"]["schemas"])
    events = []
    for webhook in document["webhooks"].values():
        schema = webhook["post"]["requestBody"]["content"]["application/json"]["schema"]
        event = types.resolved(schema)["properties"]
        data = types.resolved(event["data"])
        # Such as CaseTaskData: the records that the data has.
        name = "".join(_pascal(record) for record in data["required"]) + "Data"
        cause = "Changed" if "cause" in data["properties"] else ""
        events.append(f'Event[Literal["{event["type"]["const"]}"], {types.class_of(f"{cause}{name}", data)}]')
    union = "\n    | ".join(events)
    return "\n\n".join([HEAD, *types.classes.values(), f"WebhookEvent: TypeAlias = (\n    {union}\n)\n"])


class _Types:
    def __init__(self, schemas: dict[str, Any]) -> None:
        self._schemas = schemas
        self.classes: dict[str, str] = {}

    def resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
        return self._schemas[_named(schema)] if "$ref" in schema else schema

    def class_of(self, name: str, schema: dict[str, Any]) -> str:
        """The name of the `TypedDict` of an object, which is written once."""
        if name not in self.classes:
            self.classes[name] = ""
            required = schema.get("required", [])
            fields = []
            for key, value in schema["properties"].items():
                if iskeyword(key):
                    raise ValueError(f"{name}.{key} is a keyword of Python")
                hint = self.hint_of(f"{name}{_pascal(key)}", value)
                fields.append(f"    {key}: {hint if key in required else f'NotRequired[{hint}]'}")
            body = "\n".join(fields)
            self.classes[name] = f"class {name}(TypedDict):\n{body}"
        return name

    def hint_of(self, name: str, schema: dict[str, Any]) -> str:
        if "$ref" in schema:
            return self.hint_of(_named(schema), self.resolved(schema))
        if "const" in schema or "enum" in schema:
            values = schema.get("enum", [schema.get("const")])
            if len(values) > MAX_VALUES:
                return "str"
            return f"Literal[{', '.join(repr(value) for value in values)}]"
        if schema.get("properties"):
            return self.class_of(name, schema)
        if "items" in schema:
            return f"list[{self.hint_of(name, schema['items'])}]"
        if schema.get("type") == "object":
            extra = schema.get("additionalProperties")
            return f"dict[str, {self.hint_of(name, extra) if isinstance(extra, dict) else 'Any'}]"
        types = schema.get("type", [])
        return " | ".join(SCALARS[each] for each in ([types] if isinstance(types, str) else types)) or "Any"


def _named(schema: dict[str, Any]) -> str:
    return str(schema["$ref"]).rsplit("/", 1)[-1]


def _pascal(name: str) -> str:
    return name[0].upper() + name[1:]
