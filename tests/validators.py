"""The real validator as tests use it: no network, and the declared reading only where asked."""

from typing import Any

import jsonschema
from referencing import Registry

from toolsync.schema import Containment, contained

_CLASSES: dict[str, Any] = {
    "http://json-schema.org/draft-04/schema#": jsonschema.Draft4Validator,
    "http://json-schema.org/draft-06/schema#": jsonschema.Draft6Validator,
    "http://json-schema.org/draft-07/schema#": jsonschema.Draft7Validator,
    "https://json-schema.org/draft/2019-09/schema": jsonschema.Draft201909Validator,
}
DRAFT4, DRAFT6, DRAFT7, DRAFT2019 = _CLASSES
DRAFT2020 = "https://json-schema.org/draft/2020-12/schema"


def accepted(schema: Any, value: object) -> bool:
    named = schema.get("$schema", DRAFT2020) if isinstance(schema, dict) else DRAFT2020
    made: Any = _CLASSES.get(named, jsonschema.Draft202012Validator)
    return bool(made(schema, registry=Registry()).is_valid(value))


def asked(old: Any, new: Any) -> Containment:
    """Asks under the open reading, and holds a "no" against the validator."""
    answer = contained(old, new, reading="open")
    if answer.answer == "no":
        assert accepted(old, answer.witness), answer
        assert not accepted(new, answer.witness), answer
    return answer
