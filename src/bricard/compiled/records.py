"""The data that compiled code works on, as records of arrays.

In Python a record is a NamedTuple. In compiled code it is a pointer to a table (handles.py): a call by address costs 7 ns,
whatever the number of fields. Both share the same memory. Compiled functions take the arrays they need out of a record before
their loops, so that the loops read well.

Vectors of unknowns are laid out as [n_v accelerations or velocities | 1 dummy | n_rows multipliers]. The dummy collects
what belongs to no unknown: the ground, and the three directions that a planar body does not have.
"""

from typing import NamedTuple

import numpy as np
from numba import c16, f8, i8, u4

from .handles import record_type

VECTOR, MATRIX, INDEX, TABLE, INTEGERS = f8[::1], f8[:, ::1], u4[::1], u4[:, ::1], i8[::1]
COMPLEX, CUBE, NUMBERS = c16[::1], f8[:, :, ::1], i8[:, ::1]


class Matrix(NamedTuple):
    """A sparse matrix with a fixed pattern and elimination order, factorised in place (linalg/factor.py).

    `order[i]` is the unknown that is eliminated as the i-th; row i of U and column i of L have the pattern
    l_row[l_start[i] : l_start[i + 1]]. `a` holds the diagonal, then U by rows, then L by columns, each with room for fill,
    then one number that collects entries without a place. `target` says where the products of the elimination go.
    """

    order: INDEX
    l_start: INDEX
    l_row: INDEX
    r_start: INDEX  # the same entries of U by columns: rows, and places in `a`
    r_row: INDEX
    r_place: INDEX
    target: INDEX  # for pivot k, from t_start[k] on: place of (row of l, column of u) for each pair
    t_start: INTEGERS
    weak: VECTOR  # a pivot smaller than this is counted as weak; zero where none is expected
    a: VECTOR
    permuted: VECTOR
    # number of weak pivots, first of them, first that vanished (or -1); factorisations, weak pivots in all; 1 if unsymmetric
    report: INTEGERS


class ComplexMatrix(NamedTuple):
    """A Matrix with complex values, on the same pattern."""

    order: INDEX
    l_start: INDEX
    l_row: INDEX
    r_start: INDEX
    r_row: INDEX
    r_place: INDEX
    target: INDEX
    t_start: INTEGERS
    weak: VECTOR
    a: COMPLEX
    permuted: COMPLEX
    report: INTEGERS


class Chart(NamedTuple):
    """Lagrangian rotation parameters: how what the elements write becomes entries for v = q'. Empty for the group.

    Elements write derivatives along turns in body axes. A triple is a constraint row and a body whose turn it depends on; a
    block is a pair (body or its turn, body or its turn) of K and D.
    """

    kind: i8  # which parameters, see kernels/rotation_sets.py
    size: i8  # numbers for each rotation: 3 or 4
    norm_entry: i8  # first entry of the unit norms in g
    g_entries: i8  # entries of G, K and D that elements write; behind them those of the parameters
    k_entries: i8
    d_entries: i8
    norm_row: INDEX  # (n_bodies) row of the unit norm of each body
    g_place: INDEX  # (g_entries) place of each in Turning.g, or the last one
    k_place: INDEX
    d_place: INDEX
    triple_row: INDEX
    triple_body: INDEX
    block: TABLE  # (blocks, 4) body of the rows, 1 if they are its turn; the same for the columns
    block_k: INDEX  # (blocks) first entry in k, and in d
    block_d: INDEX
    mass_first: INDEX  # (n_bodies) first of the size^2 entries of M
    added: MATRIX  # (n_bodies, 4) inertia added about the body axes, and mass added along the norm


class Turning(NamedTuple):
    """Scratch of Lagrangian rotation parameters: angular velocity in the body w = H p'."""

    h: MATRIX  # (n_bodies, 12) H, rows of four
    h_dot: MATRIX  # (n_bodies, 12) dH/dt
    slope: MATRIX  # (n_bodies, 12) d(H p')/dp
    bend: MATRIX  # (n_bodies, 3) dH/dt p'
    load: MATRIX  # (n_bodies, 3) J dw/dt + G^T lam - torque about the body axes
    g: VECTOR  # (3 triples + 1) entries of G along turns
    change: VECTOR  # the same of rate or g_dot
    k: VECTOR  # (9 blocks + 1) entries of K and D
    d: VECTOR


class Tree(NamedTuple):
    """Relative coordinates: the spanning tree, and how what the elements write becomes entries in joint coordinates. Empty for
    absolute coordinates.

    A node is a body that hangs on its parent by a joint; nodes are numbered so that those of a subtree follow each other. A pull
    is a constraint row and a node on which it depends; a block is a part of K and D that belongs to two nodes.
    """

    planar: i8  # 1 where all bodies and tree joints are planar
    g_entries: i8  # entries of G, K and D that elements write; behind them those in joint coordinates
    k_entries: i8
    d_entries: i8
    body: INDEX  # (n)
    parent: INDEX  # (n) its node, or n for the ground
    end: INDEX  # (n) one behind the last node of its subtree
    q_first: INDEX  # (n + 1) first place in q, and in v
    v_first: INDEX
    depth: INDEX  # (n) velocities on the way from the ground to the node, its own included
    node_of: INDEX  # (n_v) node of each velocity
    frame: MATRIX  # (n, 24) frame A in the parent, from its centre of mass: point, axes by rows; frame B in the body
    kernels: INTEGERS  # addresses of the types of joints, with the nodes members[first[k] : first[k + 1]]
    first: INTEGERS
    members: INDEX
    parameter: INDEX  # (n + 1) first number in `parameters`, and in Branch.memory
    memory: INDEX
    parameters: VECTOR
    motion: MATRIX  # (n_v, 6) S at the start, where it does not change
    plain_q: INDEX  # places of coordinates with q' = v
    plain_v: INDEX
    g_place: INDEX  # (g_entries) place of each in Branch.pull, or the last one
    k_place: INDEX  # (k_entries), (d_entries) the same in Branch.k and Branch.d
    d_place: INDEX
    pull_row: INDEX
    pull_node: INDEX
    pull_stop: INDEX  # node from which on the row depends no more on what is above, or n
    pull_first: INDEX  # first entry in g
    block: TABLE  # (blocks, 2) nodes of rows and columns
    k_start: INDEX  # (n_v + 1) first entry of each column of K and D, behind k_entries and d_entries
    k_dof: INDEX  # their rows
    turned: TABLE  # (angles, 2) measures that are coordinates themselves: number, place in q
    known: (
        TABLE  # (elements, 3) of users' joints in the tree: first place in Work.memory and in q, number of coordinates
    )


class Branch(NamedTuple):
    """Scratch of relative coordinates. A motion or wrench has six numbers: at the centre of mass, in world axes."""

    d: MATRIX  # (n, 3) what the joints write, in axes of their frame A: origin of B,
    c: MATRIX  # (n, 9) rotation,
    s: MATRIX  # (n_v, 6) motion of B for each velocity,
    bias: MATRIX  # (n, 6) its acceleration at v' = 0,
    slope: MATRIX  # (n_v, 36) derivative of s along each direction,
    bias_slope: MATRIX  # (n_v, 6) and of bias
    memory: VECTOR  # the joints' own numbers
    motion: MATRIX  # (n_v, 6) motion of the node's body for each of its velocities
    spin: MATRIX  # (n + 1, 3) angular velocities
    drift: MATRIX  # (n + 1, 6) acceleration at v' = 0, less what follows from the parent's
    total: MATRIX  # (n + 1, 6) acceleration at v' = 0
    load: MATRIX  # (n + 1, 6) wrench on the subtree
    inertia: MATRIX  # (n + 1, 21) composite or articulated inertia of the subtree
    lever: MATRIX  # (n_v, 6) articulated inertia times motion
    pivot: MATRIX  # (n_v, 2) inverse of motion . lever; generalised force left for the joint
    pull: VECTOR  # (6 pulls + 1) entries of G along the directions of bodies
    change: VECTOR  # the same of rate or g_dot
    k: VECTOR  # (36 blocks + 1) entries of K and D along the directions of bodies
    d_block: VECTOR
    acceleration: MATRIX  # (n + 1, 6)
    way: MATRIX  # (n + 1, 18) change of place, turn, velocities, accelerations along one direction
    change_load: MATRIX  # (n + 1, 6) and of the wrench


class System(NamedTuple):
    """The frozen system: bodies, elements sorted by kernel, sparsity. Ground is body number n_bodies."""

    n_bodies: i8
    n_q: i8
    n_v: i8
    n_rows: i8
    length: f8  # characteristic length, m
    methods: INTEGERS  # addresses: EVALUATE, RETRACT, KINEMATICS, MAP, ACCELERATE of this kind of system
    # bodies
    q_start: INDEX
    planar: INDEX
    group: INDEX  # 1 where the body's own q has a unit quaternion and v its angular velocity
    column: TABLE  # (n_bodies + 1, 6) place in f of each direction: its velocity, or the dummy
    mass: VECTOR
    inertia: MATRIX  # (n_bodies, 9) about the centre of mass, body axes
    equatorial: VECTOR  # (n_bodies) the two equal principal moments of inertia of a body of revolution, or 0
    gravity: VECTOR
    rotation_slot: TABLE  # (quaternions, 9) places of the block of each angular velocity in the KKT matrix
    gyroscopic: INDEX  # (n_bodies) first of the nine entries of d that the body writes
    # elements: measures, constraints, forces, each sorted by kernel
    stage: INTEGERS  # kernels [stage[0], stage[1]) are measures, then constraints, then forces up to stage[3]
    kernels: INTEGERS  # addresses
    first: INTEGERS  # kernel k has the elements [first[k], first[k+1])
    operand_a: INDEX  # a body, or a measure
    operand_b: INDEX
    row: INDEX  # first constraint row
    g_first: INDEX  # first entry of G, of K, of D
    k_first: INDEX
    d_first: INDEX
    parameter: INDEX  # first number in `parameters`
    functions: INTEGERS  # address of the element's profile, law or function, or 0
    parameters: VECTOR
    vectors: TABLE  # (n, 2) points and directions of bodies among them: place of the first of three numbers, body
    memory: i8  # how many numbers elements keep in Work.memory
    # rows
    velocity_level: INDEX  # 1 for a nonholonomic row, 0 for a holonomic one
    row_scale: VECTOR  # makes a row dimensionless: 1/length or 1
    regularisation: VECTOR  # epsilon per row that makes all rows together solvable
    refinements: i8  # at most so many refinements of a solve: 0 where no mass was added
    redundant: i8  # number of rows that depend on others at the start
    # sparsity, by entries: row and column, and place in the KKT matrix
    m_row: INDEX
    m_column: INDEX
    m_slot: INDEX
    g_row: INDEX
    g_column: INDEX
    g_slot: INDEX  # place of G
    gt_slot: INDEX  # place of G^T
    g_upper: INDEX  # the one of the two that lies in the upper triangle
    k_row: INDEX
    k_column: INDEX
    k_slot: INDEX
    d_row: INDEX
    d_column: INDEX
    d_slot: INDEX
    diagonal_slot: INDEX  # (n_v + 1 + n_rows) place of the diagonal, in the layout of the unknowns
    added_mass: VECTOR  # (n_v) put on the diagonal where M vanishes, removed again by refinement
    metric: (
        VECTOR  # (n_v + 1) 1 for translations, 1/length^2 for turns: makes sums over columns of G independent of units
    )
    row_diagonal: VECTOR  # (n_rows) natural size of the diagonal of G M^-1 G^T
    row_weight: (
        VECTOR  # (n_rows) unlike numbers with signs: in a sum of rows with these weights, shares hardly ever cancel
    )
    t_row: INDEX  # kinematic map q' = T v by entries
    t_column: INDEX
    tq_row: INDEX  # d(T v)/dq by entries
    tq_column: INDEX
    gq_entry: INDEX  # chain rule dPhi/dq = G T+: pairs of an entry of G and one of T+ (formulations that need it)
    gq_map: INDEX
    kq_entry: INDEX  # the same for K
    kq_map: INDEX
    turn_q: INDEX  # places of unit quaternions in q, and of their angular velocities in v
    turn_v: INDEX
    chart: Chart
    tree: Tree


class Basis(NamedTuple):
    """Independent directions about a base configuration: v = N u + what the constraints ask for, u = B v.

    Its sizes are the formulation's choice; empty for formulations in dependent coordinates.
    """

    base: VECTOR  # (n_q) configuration from which independent positions are counted
    n: MATRIX  # (k, n_v) the directions N, as rows
    b: MATRIX  # (k, n_v) the rows of B
    free: INDEX  # (n_v + 1) where B picks coordinates: 0, or 1 + place of the coordinate among the independent ones
    c: VECTOR  # entries, on the pattern of G, of rows that span what B does not see
    increment: VECTOR  # (n_v + 1) from the base to q
    q: VECTOR  # (n_q) and (n_v): the full state that was last made of y
    v: VECTOR
    numbers: VECTOR  # sizes, and measures for the decision when to choose anew
    dense: CUBE  # scratch of dense methods


class Work(NamedTuple):
    """Scratch memory of one running simulation: what EVALUATE computes, and the KKT matrix."""

    x: MATRIX  # (n_bodies + 1, 3) centres of mass; the last body is ground
    rotation: MATRIX  # (n_bodies + 1, 9)
    velocity: MATRIX  # (n_bodies + 1, 6): translation in the world, rotation in the body
    local: VECTOR  # System.parameters where it holds points and directions of bodies, or their averages over a step
    m: VECTOR  # entries of M
    added: VECTOR  # entries of the added mass, on the pattern of M
    f: VECTOR  # (n_v + 1, and torques where v has none) applied and gyroscopic forces
    phi: VECTOR  # (n_rows)
    phi_dot: VECTOR  # G v + Phi_t, or A v + a
    phi_t: VECTOR
    gamma: VECTOR
    g: VECTOR  # entries of G (and of A)
    rate: VECTOR  # entries of d(G v)/dq, on the pattern of G
    g_dot: VECTOR  # entries of dG/dt
    m_dot: VECTOR  # entries of dM/dt
    k: VECTOR  # entries of d(G^T lam - f)/dq
    d: VECTOR  # entries of -df/dv
    lam: VECTOR  # (n_rows) the multipliers that k is taken with
    # rows to leave out because they depend on others, steps with leave for more, factors that were judged last, usual share
    # (kkt.py)
    left_out: INTEGERS
    epsilon: VECTOR  # (n_rows) minus this is the diagonal block of the multipliers; huge for a row that is left out
    play: VECTOR  # (1) position error that a row which is left out may have, characteristic lengths or rad
    t: VECTOR  # entries of T
    t_inverse: VECTOR  # entries of its left inverse T+, transposed, on the pattern of T
    tq: VECTOR  # entries of d(T v)/dq
    options: VECTOR  # the formulation's own numbers
    schedule: VECTOR  # corrections: every so many steps (0: never), on these errors of position, velocity; steps since the last
    partition: (
        INDEX  # (n_v + 1) 1 for a coordinate that the correction dependent-only keeps; the last: 1 for a new choice
    )
    hooks: INTEGERS  # addresses that the formulation's functions call: correction, expansion, user's map
    tally: INTEGERS  # corrections made, iterations inside right-hand sides
    basis: Basis
    turning: Turning
    branch: Branch
    value: VECTOR  # (n_measures)
    ends: MATRIX  # (2, n_measures) their values at the start and the end of a step, for the flag AVERAGE
    speed: VECTOR
    bias: VECTOR  # the part of the measure's acceleration that does not depend on v'
    gradient: VECTOR  # (12 n_measures)
    slope: VECTOR  # (12 n_measures) derivative of gradient . v
    curvature: VECTOR  # (144 n_measures) derivative of the gradient
    turn: VECTOR  # (n_measures) reference of each angle: values are the nearest to it, so that turns are counted
    law: VECTOR  # scratch for laws and profiles
    given: VECTOR  # scratch for FUNCTION: its arguments, four parts each
    parts: VECTOR  # what it gives
    memory: VECTOR  # numbers that elements keep from one call to the next
    energy: VECTOR  # potential energy, power of what is not conservative (in `evaluate` with the flag ENERGY); 1: power unsure
    u: VECTOR  # unknowns: accelerations, dummy, multipliers
    b: VECTOR  # right-hand side in the same layout
    e: VECTOR  # residual of the refinement
    kkt: Matrix


class Watch(NamedTuple):
    """Functions that are watched on the way, and events that were found. See compiled/watching.py."""

    functions: INTEGERS  # (n) addresses
    rules: INTEGERS  # (3 n) direction: 1 rising, -1 falling, 0 both; 1 if it interrupts the run; first of its numbers
    numbers: VECTOR
    level: VECTOR  # (n) the value that is crossed
    period: VECTOR  # (n) of an angle whose turns are counted; 0 otherwise
    size: VECTOR  # (n) largest |value - level| so far, at least its natural size
    side: (
        INTEGERS  # (n) sign of value - level at the last look; 0: not known, or not clear of zero since the last event
    )
    samples: MATRIX  # (samples in a step + 1, n) value - level; the first row is that of the last look
    roots: VECTOR  # (n) where in the step each was found to cross
    place: VECTOR  # (1) where in the step the run is interrupted; 2: nowhere
    found: INTEGERS  # (2) events that Python has not fetched yet; the trigger whose value is not finite
    q: VECTOR  # the state that is looked at
    v: VECTOR
    t: VECTOR  # (room) events: time, trigger, q and v
    trigger: INTEGERS
    y: MATRIX


class Kinks(NamedTuple):
    """Users' functions with several branches, and where the steps stand among these. See compiled/kinks.py."""

    functions: INTEGERS  # (n) addresses
    # (n, 7) element, kind of its arguments, level (0 force, 1 row of positions, 2 row of velocities, 3 potential, 4 with its
    # derivatives), number of results, first and last of its parameters, number of arguments
    elements: NUMBERS
    addresses: INTEGERS  # (1) SIDES
    given: MATRIX  # (n, arguments of four parts)
    generic: MATRIX  # (n, arguments) a direction in which all goes that may move
    ends: CUBE  # (2, n, arguments) values of the arguments at the start and the end of the step
    tracks: NUMBERS  # (4 n, 3) tracks: at the start, at the end, behind a kink that does not count, where it was looked last
    parts: CUBE  # (3, n, results of four parts) where it was looked last, and on both sides of a kink
    size: VECTOR  # (n) largest result so far
    counts: NUMBERS  # (n, 2) kinks that were met, steps that ended where no derivative exists
    # (5) where in the step the run is interrupted, 2: nowhere; times at which steps end and at which the kink is expected; size
    # of the step that met it; by how much its time has moved last
    place: VECTOR
    state: INTEGERS  # (6) see compiled/kinks.py
    work: Work  # of its own where there is something to watch


class Ledger(NamedTuple):
    """What is counted and summed over the accepted steps: turns of joint angles, and work. See compiled/ledger.py."""

    functions: INTEGERS  # (2) addresses: FOLLOW, POWER; 0 where nothing is to be counted or summed
    body: TABLE  # (n, 2) bodies of the angles
    axes: VECTOR  # (9 n) their parameters: x_a, y_a, x_b
    spins: INDEX  # places in y of the angular velocities of all bodies; empty where y has none
    turned: MATRIX  # (n, 4) at the last look: cosine, sine, full turns, 1 after a step too large for it
    kept: INDEX  # (m) places in Work.memory of coordinates of users' joints that have rows
    nodes: VECTOR  # of Gauss' rule, from 0 to 1
    weights: VECTOR
    highest: VECTOR  # from the power at the nodes to its last coefficient in Legendre's polynomials
    powers: MATRIX  # (2, nodes) power (W) at the nodes, and 1 where it is not known well
    knots: VECTOR  # times (s) at which the third derivative of a profile jumps
    ahead: INTEGERS  # (1) the knot that is next
    sums: VECTOR  # (6) work since the start, what it covers and waits for, turn of the bodies: see compiled/ledger.py
    out: MATRIX  # (outputs, n + m + 1) angles, coordinates of users' joints, work
    q: MATRIX  # (3, n_q) at both ends of the step, and inside; the same for q'
    rate: MATRIX
    v: VECTOR  # (n_v)
    work: Work  # of its own where there is work to sum up


class Run(NamedTuple):
    """One march through time: the state, the step under trial, the output. See compiled/march.py for clock, counters."""

    clock: VECTOR
    counters: INTEGERS
    y: VECTOR
    y_new: VECTOR
    scratch: VECTOR  # an interpolated state
    differential: VECTOR  # of a SemiExplicitDae: 1 where H is, 0 for algebraic equations
    corrected: VECTOR  # y_new after the hook
    error: VECTOR  # scaled error of the step; at one order less, one more (infinite: unknown); contraction of Newton's method
    orders: INTEGERS  # variable order: order of the step, order to try next (0: no advice), steps since the last change
    scale: VECTOR  # natural size of each component of y; infinite where it is not to be judged
    tolerance: VECTOR  # [relative, absolute in units of `scale`]
    stages: MATRIX
    memory: VECTOR  # the integrator's own history
    options: VECTOR  # the integrator's own numbers
    out_t: VECTOR
    out_y: MATRIX
    out_turn: MATRIX  # (outputs, n_measures) counted measures
    log_t: VECTOR  # times of logged events
    log_code: INTEGERS
    steps_t: VECTOR  # end times of accepted steps, as far as there is room
    breaks: VECTOR  # times at which steps end and history is void
    watch: Watch
    kinks: Kinks
    ledger: Ledger
    j_slot: INDEX  # Jacobian of a ResidualDae: place of each entry in `real` and `complex_`
    j_diagonal: INDEX
    jy: VECTOR
    jp: VECTOR
    regularisation: VECTOR  # minus the epsilon of a multiplier, 0 for other components
    levels: INDEX  # index of each component of a DAE: 1, 2 or 3
    real: Matrix
    complex_: tuple[ComplexMatrix, ComplexMatrix, ComplexMatrix, ComplexMatrix]  # as many as the integrator asks for
    complex_scratch: COMPLEX


MATRIX_RECORD = record_type(Matrix)
COMPLEX_MATRIX_RECORD = record_type(ComplexMatrix)
CHART = record_type(Chart)
NO_CHART = Chart(
    *(0,) * 6,
    *(np.zeros(0, np.uint32),) * 6,
    np.zeros((0, 4), np.uint32),
    *(np.zeros(0, np.uint32),) * 3,
    np.zeros((0, 4)),
)
_EMPTY = {INDEX: np.zeros(0, np.uint32), TABLE: np.zeros((0, 2), np.uint32), MATRIX: np.zeros((0, 6))}
_EMPTY |= {INTEGERS: np.zeros(0, np.int64), VECTOR: np.zeros(0), i8: 0}
NO_TREE = Tree(*(_EMPTY[kind] for kind in Tree.__annotations__.values()))
NO_BRANCH = Branch(*(_EMPTY[kind] for kind in Branch.__annotations__.values()))
TURNING = record_type(Turning)
TREE = record_type(Tree)
BRANCH = record_type(Branch)
SYSTEM = record_type(System)
BASIS = record_type(Basis)
NO_BASIS = Basis(
    *(
        np.zeros(shape, kind)
        for shape, kind in ((0, float), ((0, 0), float), ((0, 0), float), (0, np.uint32), (0, float))
    ),
    *(np.zeros(shape) for shape in (0, 0, 0, 0, (0, 0, 0))),
)
WORK = record_type(Work)
WATCH_RECORD = record_type(Watch)
KINKS = record_type(Kinks)
LEDGER = record_type(Ledger)
RUN = record_type(Run)
