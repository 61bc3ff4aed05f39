"""What compiled code reports: status codes, and the sentence that Python makes of each."""

RUNNING = 0  # not an end: the march paused and can go on
FINISHED = 1
NOT_FINITE = 2
NEWTON_FAILED = 3
STEP_TOO_SMALL = 4
SINGULAR = 5
INTERRUPTED = 6
REBASED = 7  # a hook changed the state discontinuously: multistep history must be restarted
PROJECTION_FAILED = 8
TORN_APART = 9  # the end was reached, but the constraints do not hold there
RENEW = 10  # not an end: Python has to choose new independent coordinates
NO_COORDINATES = 11  # none could be found
LOST_ROTATION = 12  # rotation parameters reached their singular position (found by Python)
TRIGGERED = 13  # not an end: a trigger asks for Python
STOPPED = 14  # a trigger ended the run
TRIGGER_FAILED = 15  # the function of a trigger is not finite
CHATTERING = 16  # the same trigger again and again, without getting on
BROKEN = 17  # not an end: a time at which something jumps, Python makes a new start
RANGE_ENDED = 18  # a user's joint reached the end of its range of motion (found by Python)
IN_SINGULARITY = 19  # no step could be found that does not end close to a singular position
TORN_VELOCITY = 20  # the end was reached, but the velocities there are not those of the constraints (found by Python)
FUNCTION_FAILED = 21  # a user's function raises or has no finite value (found by Python)
UNBALANCED = 22  # the end was reached, but the energy does not balance (found by Python)
CONTRADICTED = 23  # the routine of a user's joint contradicts its own derivatives (found by Python)
OUT_OF_STEPS = 24  # as many steps as the user allows were tried (found by Python)
KINKED = 25  # not an end: a function of the user leaves its branch, Python makes a new start
STICKING = 26  # the same function again and again, without getting on (found by Python)
NO_DERIVATIVE = 27  # a step ends where a row of a joint has no derivative
REPEATED = 28  # not an end: the step is taken again, up to a kink
TORN_BEFORE = 29  # the end was reached, but at a sample on the way the constraints do not hold (found by Python)

SENTENCES = {
    RUNNING: "Paused at t = {t:.6g} s after {steps} steps.",
    TRIGGERED: "Paused at t = {t:.6g} s after {steps} steps by a trigger.",
    BROKEN: "Paused at t = {t:.6g} s after {steps} steps, where something jumps.",
    KINKED: "Paused at t = {t:.6g} s after {steps} steps, where a function leaves its branch.",
    STICKING: (
        "At t = {t:.9g} s (step {steps}) {culprit} is met again and again after ever shorter times: the motion does not get on. "
        "It sticks where the function jumps, which no step can follow. Write a smooth law instead, for example tanh(v / v0) in "
        "the place of sign(v), with a velocity v0 that does not matter."
    ),
    NO_DERIVATIVE: "The run ended at t = {t:.9g} s (step {steps}): {culprit}.",
    STOPPED: "Stopped at t = {t:.9g} s, after {steps} steps, by {culprit}.",
    TRIGGER_FAILED: "The function of {culprit} is not finite at t = {t:.6g} s (step {steps}): it must have a value everywhere.",
    CHATTERING: (
        "At t = {t:.9g} s (step {steps}) {culprit} is met again and again after ever shorter times: the motion does not get on. "
        'Let the action end that, for example with a velocity of zero or with action="stop".'
    ),
    RENEW: "Paused at t = {t:.6g} s after {steps} steps to choose independent coordinates.",
    NO_COORDINATES: (
        "No good independent coordinates are left at t = {t:.6g} s (step {steps}, h = {h:.3g} s), seen in {culprit}: the "
        "position is singular, or the coordinates asked for do not describe the motion there. Take a formulation in dependent "
        "coordinates, such as index1, or let the method choose its coordinates."
    ),
    LOST_ROTATION: (
        "At t = {t:.6g} s (step {steps}, h = {h:.3g} s) {culprit} reached their singular position. "
        'Build the system with rotation="group" or rotation="quaternion", which have none.'
    ),
    RANGE_ENDED: (
        "Stopped at t = {t:.6g} s, after {steps} steps: {culprit}, the end of its range of motion. Its coordinate turns back "
        "there; the mechanism moves on, which absolute coordinates can follow."
    ),
    IN_SINGULARITY: (
        "After t = {t:.6g} s (step {steps}, h = {h:.3g} s) each step ends in a position close to a singular one, where "
        "constraints at position level alone do not tell which way the motion goes on. Take index1 with dop853, which keeps "
        "the velocity too, a fixed step=..., or a larger rtol, whose longer steps leap the position."
    ),
    FINISHED: "Reached the end, t = {t:.6g} s, after {steps} steps.",
    NOT_FINITE: (
        "The state stopped being finite at t = {t:.6g} s (step {steps}, h = {h:.3g} s), seen first in {culprit}. "
        "Take a smaller step, or an implicit integrator such as generalized-alpha if the system is stiff."
    ),
    NEWTON_FAILED: (
        "Newton's method did not converge at t = {t:.6g} s (step {steps}), even with the step halved to h = {h:.3g} s; "
        "the largest residual is in {culprit}. Take a smaller step, or look at the motion up to there: "
        "a mechanism that locks or a force that jumps cannot be stepped over."
    ),
    STEP_TOO_SMALL: (
        "The step size fell to {h:.3g} s at t = {t:.6g} s (step {steps}): the tolerance cannot be met there. "
        "Loosen rtol, or look for a jump in a force or a locking mechanism near {culprit}."
    ),
    SINGULAR: (
        "The equations of motion are singular at t = {t:.6g} s (step {steps}), first in {culprit}: the position is a singular "
        "one, or a direction without mass is left free. Take a smaller step, or start a little beside the singular position."
    ),
    INTERRUPTED: "Interrupted at t = {t:.6g} s after {steps} steps; what was computed so far is kept.",
    PROJECTION_FAILED: (
        "The position could not be brought back onto the constraints at t = {t:.6g} s (step {steps}, h = {h:.3g} s); "
        "the largest gap is in {culprit}. Take a smaller step, or look whether the mechanism locks there or a driver asks for "
        "more than it can reach."
    ),
    TORN_APART: (
        "The end, t = {t:.6g} s, was reached after {steps} steps, but the constraints do not hold there, worst in {culprit}: the "
        "result is not usable. Take a smaller step, or a correction if there is none."
    ),
    TORN_BEFORE: (
        "The end, t = {t:.6g} s, was reached after {steps} steps, but on the way the constraints do not hold, {culprit}: the "
        "result is not usable. Take a smaller step, or look whether drives contradict each other."
    ),
    TORN_VELOCITY: (
        "The end, t = {t:.6g} s, was reached after {steps} steps, but the velocities do not fit the constraints there: worst is "
        "{culprit}. The result is not usable. Take a smaller step, or a correction if there is none."
    ),
    UNBALANCED: ("The end, t = {t:.6g} s, was reached after {steps} steps, but {culprit}. The result is not usable."),
    CONTRADICTED: (
        "The run ended at t = {t:.6g} s (step {steps}): {culprit}. Up to a few steps before, the routine was right. Mend it, or "
        'end the run inside of its range, with a shorter duration or a Trigger with action="stop"; an implicit joint finds the '
        "end of its range by itself."
    ),
    OUT_OF_STEPS: (
        "Given up at t = {t:.6g} s after {steps} steps, the last one of {h:.3g} s: with those that were rejected they are as "
        "many as most_steps allows. Allow more of them, or look what makes them so small: stiffness, a jump, a singular position."
    ),
    FUNCTION_FAILED: (
        "The run ended at t = {t:.6g} s (step {steps}, h = {h:.3g} s): {culprit}. A function must have a finite value wherever "
        'the motion comes. Give it one there, or end the run before, with a shorter duration or a Trigger with action="stop".'
    ),
}


def sentence(status, t, h, steps, culprit):
    """The sentence of a status code, with its numbers and the name of the culprit."""
    return SENTENCES[status].format(t=t, h=h, steps=steps, culprit=culprit)
