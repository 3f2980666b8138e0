"""Writes the JSON Schemas of all that stands in an evidence directory, of what a system shows of its runs, and of steps
of a history; and the OpenAPI document of what is asked of a system over HTTP.

`python -m keepfact.conformance.schemas` writes them; with `--check` it says whether they are stale.
"""

import json
import sys
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from keepfact import spec
from keepfact.reports import intoto, json_report
from keepfact.spec.vocabulary import Observation

from .evidence.manifest import Manifest
from .evidence.records import RECORDS
from .histories.published import PublishedStep
from .ledger import ENTRIES
from .wire.document import document

FOLDER = Path(spec.__path__[0])
_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def schemas() -> dict[str, str]:
    """The text of each file, by its path below spec/."""
    history = _schema(TypeAdapter(Observation), "What a system shows of its runs, with their histories")
    return {
        "schemas/evidence.json": _text(_schema(RECORDS, "A line of an evidence file")),
        "schemas/history.json": _text(history),
        "schemas/manifest.json": _text(
            _published(Manifest.model_json_schema(), "The manifest of an evidence directory")
        ),
        "schemas/report.json": _text(_published(json_report.json_schema(), "The report as JSON")),
        "schemas/statement.json": _text(_published(intoto.json_schema(), "The in-toto statement, with its predicate")),
        "schemas/truth.json": _text(_schema(ENTRIES, "A line of a ledger of truth")),
        "schemas/step.json": _text(_schema(TypeAdapter(PublishedStep), "A line of a history of steps")),
        "http/openapi.json": _text(document()),
    }


def _schema(adapter: TypeAdapter[Any], title: str) -> dict[str, Any]:
    return {"$schema": _DRAFT, "title": title, **adapter.json_schema()}


def _published(schema: dict[str, Any], title: str) -> dict[str, Any]:
    return {"$schema": _DRAFT, **schema, "title": title}


def _text(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def main() -> None:
    """Write the files, or check them."""
    for name, text in schemas().items():
        path = FOLDER / name
        if "--check" not in sys.argv[1:]:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            sys.exit(
                f"expected spec/{name} to say what the vocabulary and the records say, but it is stale. "
                "Run `python -m keepfact.conformance.schemas` and look at the difference."
            )


if __name__ == "__main__":
    main()
