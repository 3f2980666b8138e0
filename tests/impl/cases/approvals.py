"""What is refused of approvals: asking, deciding, and using what was decided."""

from keepfact.impl.prepared import Value

from .. import stages as at
from .. import stages_of_people as people
from .case import Case

PAY: dict[str, Value] = {"call": "pay", "approval": "p"}

CASES: list[Case] = [
    (at.running, "request_approval", {"seconds": -1}, "malformed"),
    (at.running, "request_approval", {"call": ""}, "malformed"),
    (at.open_call, "request_approval", {"call": "a"}, "call_id_conflict"),
    (at.woken, "request_approval", {"wait": "w"}, "wait_exists"),
    (at.open_call, "request_approval", {}, "call_open"),
    (at.spent, "request_approval", {}, "budget_spent"),
    (people.denied, "request_approval", {"wait": "q"}, "denied"),
    (people.approved, "request_approval", {"wait": "q"}, "already_approved"),
    (at.new, "decide", {}, "no_such_run"),
    (at.running, "decide", {}, "no_such_wait"),
    (at.waiting, "decide", {"wait": "w"}, "no_such_wait"),
    (people.approved, "decide", {"approved": False}, "already_decided"),
    (people.approved, "decide", {"digest": "other"}, "already_decided"),
    (people.denied, "decide", {"approved": True}, "already_decided"),
    (people.request_closed, "decide", {}, "wait_closed"),
    (people.request_settled, "decide", {}, "wait_closed"),
    (people.request_expired, "decide", {}, "expired"),
    (people.requested, "decide", {"digest": "other"}, "shown_differs"),
    (people.drifted("permission", people.requested), "decide", {}, "not_permitted"),
    (people.approved, "intend", {**PAY, "approval": None}, "not_approved"),
    (people.approved, "intend", {**PAY, "approval": "q"}, "not_approved"),
    (people.approved, "intend", {"call": "other", "approval": "p"}, "not_approved"),
    (at.running, "intend", PAY, "not_approved"),
    (people.asked_again, "intend", PAY, "not_approved"),
    (people.denied, "intend", PAY, "denied"),
    (people.approved_and_over, "intend", PAY, "expired"),
    (people.drifted("permission"), "intend", PAY, "not_permitted"),
    (people.drifted("resource"), "intend", PAY, "drifted"),
    (people.drifted("plan"), "intend", PAY, "drifted"),
    (people.drifted("policy"), "intend", PAY, "drifted"),
    (people.approved, "intend", {**PAY, "digest": "other"}, "drifted"),
    (people.outlasting(people.used_and_lost), "send_again", {"call": "pay"}, "expired"),
    (people.drifted("permission", people.used_and_lost), "send_again", {"call": "pay"}, "not_permitted"),
    (people.drifted("policy", people.used_and_lost), "send_again", {"call": "pay"}, "drifted"),
]
