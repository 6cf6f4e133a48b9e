"""Writes src/marketplace_client/generated before the package is built; `python hatch_build.py` does only that."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# A build backend runs this file alone, without its folder.
sys.path.insert(0, str(Path(__file__).parent))
from event_types import event_types

FOLDER = Path(__file__).parent
ROOT = FOLDER / ".." / ".." / ".."
DOCUMENT = ROOT / "proto" / "openapi" / "marketplace.json"
LINES = "application/x-ndjson"
TEXT = {"text/plain": {"schema": {"type": "string"}}}
PDF = "application/pdf"
BYTES = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}


def with_answers_alone(document: dict[str, Any]) -> dict[str, Any]:
    """Leaves the answers that a function returns. Errors are raised, and an empty answer would make the type `Any`.

    The client signs in by itself, so no function asks for an `AuthenticatedClient`.
    """
    for operation in (each for methods in document["paths"].values() for each in methods.values()):
        successes = {status: each for status, each in operation["responses"].items() if status.startswith("2")}
        filled = {status: each for status, each in successes.items() if "content" in each}
        for answer in filled.values():
            if LINES in answer["content"]:
                answer["content"] = TEXT
            if PDF in answer["content"]:
                answer["content"] = BYTES
        operation.pop("security", None)
        operation["responses"] = filled or {status: {**each, "content": TEXT} for status, each in successes.items()}
    return document


def generate() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "openapi.json"
        path.write_text(json.dumps(with_answers_alone(json.loads(DOCUMENT.read_text()))))
        options = ["--meta", "none", "--overwrite", "--fail-on-warning", "--path", str(path)]
        output = FOLDER / "src" / "marketplace_client" / "generated"
        config = FOLDER / "openapi-python-client.yaml"
        options += ["--custom-template-path", str(FOLDER / "templates")]
        command = [sys.executable, "-m", "openapi_python_client", "generate", *options]
        subprocess.run([*command, "--config", str(config), "--output-path", str(output)], check=True)
    raise_by_default(output / "client.py")
    (output / "events.py").write_text(event_types(json.loads(DOCUMENT.read_text())))


def raise_by_default(module: Path) -> None:
    """A client without credentials of ours raises `UnexpectedStatus`, where it would return `None` for an error."""
    text = module.read_text()
    option = "raise_on_unexpected_status: bool = field(default={}"
    if text.count(option.format(False)) != 2:
        raise ValueError(f"{module} has another form than expected")
    module.write_text(text.replace(option.format(False), option.format(True)))


class GeneratedCode(BuildHookInterface[Any]):
    """A source distribution has the generated code, and no document."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if DOCUMENT.exists():
            generate()
            package = "src/marketplace_client" if self.target_name == "sdist" else "marketplace_client"
            build_data["force_include"][str(ROOT / "LICENSE")] = f"{package}/LICENSE"


if __name__ == "__main__":
    generate()
