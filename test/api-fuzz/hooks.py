"""Rules of the API that JSON Schema cannot state, taught to Schemathesis; and a count of the answers."""

import atexit
import collections
import hashlib
import json
import re

import schemathesis

# As in packages/contracts/src/fields.ts; anything else is sent as it was generated, to be refused.
key_pattern = re.compile(r"[\x21-\x2b\x2d-\x7e]{1,255}")
exact_integers = 2**53
details_max_bytes = 4096
details_max_depth = 60
chunk_rows = 100

answers = collections.Counter()


@schemathesis.hook
def before_call(context, case, kwargs):
    rows = case.body.get("reservations") if isinstance(case.body, dict) else None
    if isinstance(rows, list):
        case.body["reservations"] = [mended(row) for row in with_unique_ids(rows)]
        if case.body.get("mode") == "all-or-nothing":
            del case.body["reservations"][chunk_rows:]
    give_key_of_its_own(case)


def give_key_of_its_own(case):
    """A key names one payload: the same payload is sent under the same key again, another one under another."""
    key = (case.headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and key_pattern.fullmatch(key):
        text = json.dumps(case.body, sort_keys=True, default=repr)
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        case.headers["Idempotency-Key"] = f"{key[:200]}-{digest}"


def with_unique_ids(rows):
    """Ids are unique within a booking: a repeated one gets a number, within its 128 characters."""
    seen = set()
    for place, row in enumerate(rows):
        name = row.get("id") if isinstance(row, dict) else None
        if isinstance(name, str) and name in seen and 0 < len(name) <= 128:
            number = f"#{place}"
            row = {**row, "id": name[: 128 - len(number)] + number}
            name = row["id"]
        if isinstance(name, str):
            seen.add(name)
        yield row


def mended(row):
    """Details have a size, a depth and exact numbers."""
    if not isinstance(row, dict) or not isinstance(row.get("details"), dict):
        return row
    details = exact(row["details"], details_max_depth)
    size = len(json.dumps(details, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    return {**row, "details": details if size <= details_max_bytes else {}}


def exact(value, depth):
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) <= exact_integers else value % exact_integers
    if isinstance(value, list):
        return [exact(inner, depth - 1) for inner in value] if depth > 0 else []
    if isinstance(value, dict):
        return {name: exact(inner, depth - 1) for name, inner in value.items()} if depth > 0 else {}
    return value


@schemathesis.hook
def after_call(context, case, response):
    answers[f"{case.operation.label} {response.status_code}"] += 1


@atexit.register
def tell_answers():
    for label, count in sorted(answers.items()):
        print(f"{count:6} {label}")
