/* The scope `core` by hand: one run under `settle`, two grants, an attempt that costs its ceiling of 1 cent, then an
   operation that costs nothing, a budget of 2 cents, one publication, a lease of one tick; truth beside knowledge.

   One state here is one state there, and one option tried is one cause tried, provided that variables which are only
   ever written are kept (`spin -o2`): they are what is shown. What is refused is tried as well, and leads back to the
   same state. Not here: the book of rules, and asking every command a second time. The one assertion is that the true
   cost lies between what is known and that plus what is held. */

#define ABSENT      0  /* of a run, and of a call */
#define QUEUED      1  /* of a run */
#define RUNNING     2
#define UNKNOWN     3  /* sealed, until the last evidence is in */
#define SUCCEEDED   4
#define FAILED      5
#define INTERRUPTED 6

#define OPEN        1  /* of a call */
#define LOST        2  /* its answer did not come */
#define CONFIRMED   3
#define NOT_FOUND   4

#define NONE        0  /* of a lease */
#define LAPSED      1
#define LIVE        2

#define ATTEMPT     0
#define OPERATION   1

byte phase, sealed_for, fence, lease;
byte body;                    /* 0: none, 1: published without qualification, 2: qualified */
bit  by_evidence;             /* the run was ended by the last evidence, not by its worker or by recovery */
byte call[2], call_fence[2];
bit  other_digest;            /* the attempt was intended with the other arguments */
bit  answered[2], priced[2];
bit  acted[2], operation_first;  /* the truth outside, in order of arrival; no command looks at it */

#define unresolved(c) (call[c] == OPEN || call[c] == LOST || (call[c] == CONFIRMED && !priced[c]))
#define may_work(f)   (fence == f && phase == RUNNING && lease == LIVE)
#define no_open_call  (call[ATTEMPT] != OPEN && call[OPERATION] != OPEN)

#define true_cents    acted[ATTEMPT]
#define known_cents   (call[ATTEMPT] == CONFIRMED && priced[ATTEMPT])
#define held_cents    (unresolved(ATTEMPT) + unresolved(OPERATION))

/* One cause: offered where it is possible, and refused without a trace unless it is accepted. */
#define TRY(possible, accepted, effect) \
    :: d_step { (possible) -> if :: (accepted) -> effect; honest() :: else -> skip fi }

inline honest() { assert(known_cents <= true_cents && true_cents <= known_cents + held_cents) }

inline seal(end) {
    lease = NONE;
    if
    :: unresolved(ATTEMPT) || unresolved(OPERATION) -> phase = UNKNOWN; sealed_for = end
    :: else -> phase = end
    fi
}

inline lose_open_calls() {
    if :: call[ATTEMPT] == OPEN -> call[ATTEMPT] = LOST :: else fi;
    if :: call[OPERATION] == OPEN -> call[OPERATION] = LOST :: else fi
}

inline intend(c, f) { call[c] = OPEN; call_fence[c] = f }

inline confirm(c, amount) {
    call[c] = CONFIRMED; priced[c] = amount;
    end_if_resolved()
}

inline end_if_resolved() {
    if
    :: phase == UNKNOWN && !unresolved(ATTEMPT) && !unresolved(OPERATION) ->
        phase = sealed_for; sealed_for = ABSENT; by_evidence = 1
    :: else
    fi
}

/* Whatever a worker under fence f may try. */
#define WORK(exists, f) \
    TRY(exists, may_work(f), lease = LIVE)  /* renew */ \
    TRY((exists) && (fence < 2 || f < fence), may_work(f) && no_open_call, phase = QUEUED; lease = NONE)  /* release */ \
    TRY(exists, may_work(f) && call[ATTEMPT] == ABSENT, intend(ATTEMPT, f)) \
    TRY((exists) && call[ATTEMPT] > OPEN, may_work(f) && call[OPERATION] == ABSENT, intend(OPERATION, f)) \
    TRY(exists, may_work(f) && call[ATTEMPT] == ABSENT, intend(ATTEMPT, f); other_digest = 1) \
    TRY(exists, false, skip)  /* intend what is above the budget */ \
    TRY((exists) && call[ATTEMPT], may_work(f) && call[ATTEMPT] == OPEN, call[ATTEMPT] = LOST) \
    TRY((exists) && call[OPERATION], may_work(f) && call[OPERATION] == OPEN, call[OPERATION] = LOST) \
    TRY((exists) && !body, may_work(f), body = 2) \
    TRY((exists) && !body, may_work(f), body = 1) \
    TRY(exists, may_work(f) && no_open_call && body == 2, seal(SUCCEEDED)) \
    TRY(exists, may_work(f), lose_open_calls(); seal(FAILED))

#define current_or_first (fence + (fence == 0))

/* What may become of a call outside, what its worker may report of that, and what evidence may say. */
#define OUTSIDE(c, acts) \
    TRY(!acted[c] && (call[c] == OPEN || call[c] == LOST), true, acts) \
    TRY(acted[c], may_work(call_fence[c]) && call[c] == OPEN, answered[c] = 1; confirm(c, 1)) \
    TRY(acted[c], may_work(call_fence[c]) && call[c] == OPEN, answered[c] = 1; confirm(c, 0)) \
    TRY(call[c], call[c] != OPEN && unresolved(c), skip)  /* ambiguous */ \
    TRY(call[c] && !acted[c], call[c] == LOST, call[c] = NOT_FOUND; end_if_resolved()) \
    TRY(acted[c], call[c] != OPEN && unresolved(c), confirm(c, 1)) \
    TRY(acted[c], call[c] != OPEN && unresolved(c), confirm(c, 0))

active proctype world() {
    do
    TRY(true, true, skip)  /* observe */
    TRY(true, phase == ABSENT, phase = QUEUED)  /* submit */
    TRY(true, phase == RUNNING && lease == LAPSED, lose_open_calls(); seal(INTERRUPTED))  /* recover */
    TRY(phase, lease == LIVE, lease = LAPSED)  /* a tick */
    TRY(phase && (fence < 2 || phase != QUEUED), phase == QUEUED, phase = RUNNING; lease = LIVE; fence++)  /* claim */
    WORK(phase, current_or_first)
    WORK(fence == 2, 1)
    OUTSIDE(ATTEMPT, acted[ATTEMPT] = 1)
    OUTSIDE(OPERATION, acted[OPERATION] = 1; operation_first = !acted[ATTEMPT])
    od
}
