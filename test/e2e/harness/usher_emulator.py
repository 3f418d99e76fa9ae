"""The emulator, taught what the deployed template needs and ministack 1.5.33 lacks.

The template stays the very one that users deploy; what is missing is added to the emulator. Each addition says what AWS
does, and fails at start when the place it hooks into is gone.
"""

import json

from ministack.app import app  # noqa: F401 (served by hypercorn)
from ministack.core import iam_actions, iam_evaluator
from ministack.core.responses import get_account_id, get_region
from ministack.services import eventbridge
from ministack.services.cloudformation import provisioners


def arn(service, name):
    return f"arn:aws:{service}:{get_region()}:{get_account_id()}:{name}"


# CloudFormation types that it refuses a whole template for. Archives exist in its EventBridge; bus policies and schemas
# do not, and are kept as names alone: nothing enforces them here.


def create_archive(logical_id, props, stack_name):
    name = props.get("ArchiveName") or f"{stack_name}-{logical_id}"[:48]
    answer = eventbridge._create_archive(
        {
            "ArchiveName": name,
            "EventSourceArn": props["SourceArn"],
            "EventPattern": json.dumps(props.get("EventPattern", {})),
            "RetentionDays": props.get("RetentionDays", 0),
            "Description": props.get("Description", ""),
        }
    )
    if answer[0] >= 400:
        raise ValueError(f"AWS::Events::Archive: {answer[-1]!r}")
    return name, {"Arn": arn("events", f"archive/{name}")}


def delete_archive(name, _props):
    eventbridge._delete_archive({"ArchiveName": name})


def create_bus_policy(_logical_id, props, _stack_name):
    return f"{props.get('EventBusName', 'default')}|{props['StatementId']}", {}


def create_registry(_logical_id, props, _stack_name):
    registry = arn("schemas", f"registry/{props['RegistryName']}")
    return registry, {"RegistryName": props["RegistryName"], "RegistryArn": registry}


def create_schema(_logical_id, props, _stack_name):
    json.loads(props["Content"])
    schema = arn("schemas", f"schema/{props['RegistryName']}/{props['SchemaName']}")
    return schema, {"SchemaName": props["SchemaName"], "SchemaArn": schema, "SchemaVersion": "1"}


def nothing(*_args):
    return None


def add_type(name, create, delete):
    # Once the emulator knows the type itself, this addition has to go.
    if name in provisioners._RESOURCE_HANDLERS:
        raise RuntimeError(f"{name} is known to the emulator now")
    provisioners._RESOURCE_HANDLERS[name] = {"create": create, "delete": delete}


add_type("AWS::Events::Archive", create_archive, delete_archive)
add_type("AWS::Events::EventBusPolicy", create_bus_policy, nothing)
add_type("AWS::EventSchemas::Registry", create_registry, nothing)
add_type("AWS::EventSchemas::Schema", create_schema, nothing)


# To IAM, SQS's batch calls are the single call; the emulator asks for an action of the batch's own name.

batch_calls = {f"{name}Batch": name for name in ("SendMessage", "DeleteMessage", "ChangeMessageVisibility")}
action_from_target = iam_actions._action_from_target


def sqs_action(headers):
    action = action_from_target(headers)
    return batch_calls.get(action, action)


iam_actions._action_from_target = sqs_action


# Condition keys that the roles' policies use and the emulator has no values for: the partition keys that a DynamoDB call
# touches, and the source that a PutEvents call names.

dynamodb_context = iam_actions.dynamodb_service_context
tag_context = iam_actions.request_tag_context


def leading_keys(value, found):
    if isinstance(value, list):
        for part in value:
            leading_keys(part, found)
    elif isinstance(value, dict):
        for key, part in value.items():
            if key in ("pk", ":pk") and isinstance(part, dict) and "S" in part:
                found.add(part["S"])
            else:
                leading_keys(part, found)
    return found


def with_leading_keys(body):
    keys = sorted(leading_keys(json.loads(body or b"{}"), set()))
    return {**dynamodb_context(body), **({"dynamodb:LeadingKeys": keys} if keys else {})}


def with_event_source(service, action, body, params):
    context = tag_context(service, action, body, params)
    if action != "events:PutEvents":
        return context
    sources = {entry.get("Source", "") for entry in json.loads(body).get("Entries", [])}
    return {**context, **({"events:source": sources.pop()} if len(sources) == 1 else {})}


iam_actions.dynamodb_service_context = with_leading_keys
iam_actions.request_tag_context = with_event_source


# Condition keys of the queues' policies. To IAM, the ARN of a session's principal is that of its role; the emulator gives
# the session's. And whoever signs a request with a key is no AWS service.

condition_key = iam_evaluator._resolve_condition_key


def principal_key(key, context):
    value = condition_key(key, context)
    name = key.lower()
    if name == "aws:principalisawsservice" and value is None:
        return "false"
    if name == "aws:principalarn" and isinstance(value, str) and ":assumed-role/" in value:
        account, role = value.split(":")[4], value.split("/")[1]
        return f"arn:aws:iam::{account}:role/{role}"
    return value


iam_evaluator._resolve_condition_key = principal_key
