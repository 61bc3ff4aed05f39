"""The signatures at which compiled pieces meet; docs/signatures.md explains each with shapes and units.

Functions that can fail return a status code (status.py).
"""

from numba import b1, f8, i8, types

from .pointers import Interface
from .records import INTEGERS, RUN, SYSTEM, VECTOR, WORK

# What EVALUATE and the kernels are asked for besides Phi, G, f, and the velocity level of nonholonomic rows.
VELOCITY = 1  # phi_dot and gamma of holonomic rows
TANGENT = 2  # k and d, with the multipliers in work.lam
RATE = 4  # d(G v)/dq
ENERGY = 8  # potential energy and power
REFRESH = 16  # with TANGENT: elements with costly second derivatives renew them too
G_DOT = 32  # dG/dt and dM/dt
AVERAGE = 64  # halfway between work.ends, with averages in work.local: what does exactly the right work

# Element type: elements [first, last) -> their part of phi, G, f, ... in `work`. (t, flags, first, last)
KERNEL = Interface(types.void(f8, i8, i8, i8, SYSTEM, WORK))
# Function of time: (t, parameters, first) -> value, first and second derivative.
PROFILE = Interface(types.void(f8, VECTOR, i8, VECTOR))
# Force law: (t, x, x', parameters, first) -> force, its derivatives in x and x', potential, non-conservative part.
LAW = Interface(types.void(f8, f8, f8, VECTOR, i8, VECTOR))

# A user's function of hyper-dual numbers: (arguments, parameters, first, last of its own) -> results; four parts of each number.
FUNCTION = Interface(types.void(VECTOR, VECTOR, i8, i8, i8, VECTOR))

# The same of numbers that tell on which sides of its kinks it is: their track (three integers) stands before the results.
BRANCHES = Interface(types.void(VECTOR, VECTOR, i8, i8, INTEGERS, VECTOR))

# Joints of one type in the tree of relative coordinates: (t, q, v, flags, first, last) -> their part of work.branch.
TREE_JOINT = Interface(types.void(f8, VECTOR, VECTOR, i8, i8, i8, SYSTEM, WORK))

# A user's own joint, of hyper-dual numbers: (arguments, parameters, first of its own) -> results; four parts of each number.
USER_JOINT = Interface(types.void(VECTOR, VECTOR, i8, VECTOR))

# A part of what is computed for a user's joint: (numbers, first, memory, first) -> whether it succeeded.
USER_PIECE = Interface(b1(VECTOR, i8, VECTOR, i8))

# The kind of system (bodies in absolute or relative coordinates, or functions), six methods:
EVALUATE = Interface(types.void(f8, VECTOR, VECTOR, i8, SYSTEM, WORK))  # (t, q, v, flags) -> work
RETRACT = Interface(types.void(VECTOR, VECTOR, VECTOR, SYSTEM, WORK))  # (q, increment) -> q moved by it
KINEMATICS = Interface(types.void(VECTOR, VECTOR, VECTOR, SYSTEM, WORK))  # (q, v) -> q' = T(q) v
MAP = Interface(types.void(VECTOR, VECTOR, SYSTEM, WORK))  # (q, v) -> work.t, t_inverse, tq
ACCELERATE = Interface(b1(f8, VECTOR, VECTOR, SYSTEM, WORK))  # (t, q, v) -> work.u = [v', 0, lam]; False: singular
PLACE = Interface(types.void(f8, VECTOR, VECTOR, SYSTEM, WORK))  # (t, q, v) -> where the bodies are, in work
METHODS = (EVALUATE, RETRACT, KINEMATICS, MAP, ACCELERATE, PLACE)

# Hooks of a form. AFTER_STEP brings a state back where it belongs (normalisation, corrections): (t, y, purpose), after a step
# or on an interpolated state that is only shown. REBASE, after an accepted step: may exchange the coordinates in y and then
# answers REBASED (history is void), or asks Python to do so with RENEW. EXPAND: (t, y) -> q, v, where y does not begin with them.
AFTER_STEP = Interface(i8(f8, VECTOR, i8, SYSTEM, WORK))
REBASE = Interface(i8(f8, VECTOR, SYSTEM, WORK))
EXPAND = Interface(i8(f8, VECTOR, VECTOR, VECTOR, SYSTEM, WORK))
STEPPED, SHOWN = 0, 1  # the purposes
# Correction, called by an AFTER_STEP hook: (t, q, v, with_velocity) -> q (and v) on the constraints.
CORRECT = Interface(i8(f8, VECTOR, VECTOR, i8, SYSTEM, WORK))
# Positions by a user's map of independent coordinates: (t, z, z') -> q, q', q'' at z'' = 0, then the columns of dq/dz.
PARAMETRISE = Interface(types.void(f8, VECTOR, VECTOR, VECTOR))
# Whether the G in work is close to a singular one, where weak pivots of the KKT matrix made it likely.
CONFIRM = Interface(i8(SYSTEM, WORK))
# Ode form: (t, y) -> y'.
RHS = Interface(i8(f8, VECTOR, VECTOR, SYSTEM, WORK))
# ResidualDae form: (t, y, y') -> F; (t, y, y') -> entries of dF/dy and dF/dy'.
DAE_RESIDUAL = Interface(i8(f8, VECTOR, VECTOR, VECTOR, SYSTEM, WORK))
DAE_JACOBIAN = Interface(i8(f8, VECTOR, VECTOR, VECTOR, VECTOR, SYSTEM, WORK))
# SemiExplicitDae form H y' = F(t, y), H diagonal, of ones and zeros: an RHS for F, and (t, y) -> entries of dF/dy.
RHS_JACOBIAN = Interface(i8(f8, VECTOR, VECTOR, SYSTEM, WORK))
# MechanicalDae form: (t, y = [q, v], u = [v', 0, lam], flags) -> r = [M v' + G^T lam - f, 0, constraint rows];
MECHANICAL_RESIDUAL = Interface(i8(f8, VECTOR, VECTOR, VECTOR, i8, SYSTEM, WORK))
# (c_v, c_q, scaled, softness, increment of the step): factorise [M + c_v D + c_q K, G^T; G, -softness row_diagonal];
# (c_v, c_q, scaled, increment, r = minus the residual) -> r = the correction of u.
MECHANICAL_FACTORISE = Interface(i8(f8, f8, b1, f8, VECTOR, SYSTEM, WORK))
MECHANICAL_SOLVE = Interface(i8(f8, f8, b1, VECTOR, VECTOR, SYSTEM, WORK))
# The table of a form: the three hooks (0 where there is none), then its functions, from OWN on.
HOOKS, OWN = (AFTER_STEP, REBASE, EXPAND), 3
FORMS = {
    "Ode": (*HOOKS, RHS),
    "SecondOrderOde": (*HOOKS, RHS),  # an Ode with y = [q, v], of which integrators use v'
    "ResidualDae": (*HOOKS, DAE_RESIDUAL, DAE_JACOBIAN),
    "SemiExplicitDae": (*HOOKS, RHS, RHS_JACOBIAN),
    "MechanicalDae": (*HOOKS, MECHANICAL_RESIDUAL, MECHANICAL_FACTORISE, MECHANICAL_SOLVE),
    "OverdeterminedDae": HOOKS,  # y = [q, v, v', 0, lam]; integrators evaluate the system themselves
}
# Addresses in work.hooks: what a formulation's functions call by address.
CORRECTION, EXPANSION, PARAMETRISATION, CONFIRMATION = 0, 1, 2, 3

# Integrator: run.y at t -> run.y_new at t + h; the first argument is the table of the form's functions.
STEP = Interface(i8(INTEGERS, f8, f8, RUN, SYSTEM, WORK))
# Dense output of the last accepted step: (t of the step, h, where in it from 0 to 1) -> state.
INTERPOLATE = Interface(types.void(f8, f8, f8, VECTOR, RUN))
# Step size controller: step h tried -> accepted? Sets the next step size. (order of the error estimate, h)
CONTROL = Interface(b1(f8, f8, RUN))
# Function that a trigger watches: (t, q, v, numbers, first of its numbers) -> value.
WATCH = Interface(f8(f8, VECTOR, VECTOR, VECTOR, i8, SYSTEM, WORK))
# What the ledger keeps: (t, h, q, v) at the end of a step of size h -> the joint that has turned too far for a count, or -1;
FOLLOW = Interface(i8(f8, f8, VECTOR, VECTOR, RUN, SYSTEM, WORK))
# (t, q, v) -> power of what is not conservative.
POWER = Interface(f8(f8, VECTOR, VECTOR, SYSTEM, WORK))
# The branches of all users' functions that have several: (t, q, v, row of the tracks) -> tracks, values, derivatives.
SIDES = Interface(types.void(f8, VECTOR, VECTOR, i8, RUN, SYSTEM))
# The time loop: [step, interpolate, control], order, form, run, system, work, largest number of steps.
MARCH = Interface(i8(INTEGERS, f8, INTEGERS, RUN, SYSTEM, WORK, i8))
