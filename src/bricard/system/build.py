"""build(): from a model to a frozen System; here in absolute coordinates, relative.py makes relative ones of them."""

import numpy as np

from ..compiled import records
from ..compiled.interfaces import KERNEL, METHODS
from ..compiled.pointers import address_of, table
from ..errors import ModelError, suggest
from ..interrupts import whole
from ..kernels.bodies import evaluate_bodies, kinematics_bodies, map_bodies, place_bodies, retract_bodies
from ..linalg import sparse
from ..linalg.kkt import sparse_accelerations
from ..linalg.ordering import candidate_orders
from ..model.frozen import frozen
from ..model.references import check_references
from .channels import measure_value
from .collect import Collector
from .elements import CONSTRAINT, FORCE, MEASURE, NO_COLUMN
from .recipe import Recipe
from .regularise import regularise, weak_rows
from .rotation import GROUP, with_rotation
from .system import System
from .tree import checked_cut

COORDINATES = ("absolute", "relative")
MAX_REORDERINGS = 4
SAME_MOMENT = 1e-9  # principal moments of inertia that differ by less than this share are equal


@whole
def build(model, *, coordinates="absolute", rotation=GROUP, cut=(), extra=()):
    """The frozen System of a model, its start not yet assembled.

    coordinates : "absolute", or "relative": joint coordinates along a spanning tree, the other joints being cut and imposed as
    constraints. cut : names of joints that the tree must not use; it is chosen otherwise.
    rotation : how rotations in space are described in absolute coordinates. "group": unit quaternion in q, angular velocity in v.
    The others are Lagrangian coordinates, v = q': "quaternion" (with a unit norm as a constraint, M singular), "euler-zxz",
    "cardan", "gibbs", "euler-rodrigues", "rotation-vector", "wiener-milenkovic"; each of those with three numbers is singular
    somewhere.
    extra : further constraints as (name, blocks), such as the wishes of the assembler.
    """
    live, model, extra = model, frozen(model), tuple(extra)
    system = _built(model, coordinates, rotation, cut, extra)
    choices = {"coordinates": coordinates, "rotation": rotation, "cut": system.cut, "extra": extra}
    return system.made_by(Recipe.of_model(build, live, model=model, **choices))


def _built(model, coordinates, rotation, cut, extra):
    if coordinates not in COORDINATES:
        known = ", ".join(COORDINATES)
        raise ModelError(
            f'Unknown coordinates "{coordinates}".{suggest(str(coordinates), COORDINATES)} Known: {known}.'
        )
    check_references(model)
    if not model.bodies:
        raise ModelError(f'Model "{model.name}" has no bodies: add one with model.body(...).')
    collection = collect(model, extra)
    base = well_ordered(lambda delayed: assemble_records(model, collection, delayed), collection.groups)
    if coordinates == "relative":
        if rotation != GROUP:
            raise ModelError(
                f'rotation="{rotation}" describes bodies in absolute coordinates; relative ones have their own.'
            )
        from .relative import relative

        return relative(model, base, cut)
    if checked_cut(model, cut):
        raise ModelError('cut=... names joints for coordinates="relative"; absolute coordinates impose all of them.')
    return with_rotation(base, rotation)


def well_ordered(make, groups):
    """The system of `make(delayed)`, regularised, with groups of rows delayed in the elimination until few are weak.

    Rows that look dependent may only come too early in the order of elimination; while there are more of them than depend on
    others, further groups are delayed, even if that makes others weak first. groups : (first row, last row, ...) of each.
    """
    system, delayed = regularise(make(frozenset())), frozenset()
    late = fewest = weak_rows(system)
    for _ in range(MAX_REORDERINGS):
        found = {j for j, (first, last, *_) in enumerate(groups) if any(first <= row < last for row in late)}
        if len(fewest) <= system.record.redundant or not found - delayed:
            break
        delayed = delayed | found
        other = regularise(make(delayed))
        late = weak_rows(other)
        if len(late) < len(fewest):
            system, fewest = other, late
    return system


def collect(model, extra=(), without=frozenset()):
    """All elements of a model, and further constraints; but not the rows of joints named in `without`."""
    poses = {body: (body.com_position, body.rotation) for body in [model.ground, *model.bodies.values()]}

    def start(measure):
        return measure_value(measure, *(poses[body] for body in measure.bodies))

    wished = {w.measure: w.position for w in model.wishes if w.measure is not None and w.position is not None}
    collector = Collector(start, characteristic_length(model), wished)
    for joint in model.joints.values():
        if joint.name not in without:
            collector.constraint(joint.name, joint.blocks())
    for name, blocks in extra:
        collector.constraint(name, blocks)
    for force in model.forces.values():
        collector.force(force)
    return collector.collection()


def assemble_records(model, collection, delayed=frozenset()):
    """The compiled records of a model and its elements; `delayed` are groups of rows to be eliminated late."""
    bodies = list(model.bodies.values())
    number = {body: i for i, body in enumerate([*bodies, model.ground])}
    planar = np.array([b.planar for b in bodies], bool)
    n, n_rows = len(bodies), len(collection.rows)
    q_start = np.concatenate([[0], np.cumsum(np.where(planar, 3, 7))])
    v_start = np.concatenate([[0], np.cumsum(np.where(planar, 3, 6))])
    n_q, n_v = int(q_start[-1]), int(v_start[-1])
    column = np.full((n + 1, 6), n_v)
    for c, planar_c in enumerate((0, 1, None, None, None, 2)):
        column[:n, c] = np.where(planar, n_v if planar_c is None else v_start[:-1] + (planar_c or 0), v_start[:-1] + c)

    elements, kernels, first, stage = _sorted(collection)
    measures = tuple(e.measure for e in elements if e.measure is not None)
    number_of = number | {measure: i for i, measure in enumerate(measures)}
    lengths = [len(e.parameters) for e in elements]
    g, k, d = (_entries(elements, which, number, column) for which in "gkd")
    gyroscopic, own_d = _gyroscopic(planar, column, d[0].size)
    d = (np.concatenate([d[0], own_d[0]]), np.concatenate([d[1], own_d[1]]), d[2])
    m_row, m_column, m = _mass(bodies, planar, column)
    t_row, t_column, tq_row, tq_column = _kinematic_pattern(planar, q_start, v_start)
    none = np.zeros(0, np.uint32)

    layout, offset = n_v + 1 + n_rows, n_v + 1

    def inside(entries):
        return (entries[0] < n_v) & (entries[1] < n_v)

    real_g = g[1] < n_v
    rows = [m_row, k[0][inside(k)], d[0][inside(d)], offset + g[0][real_g]]
    columns = [m_column, k[1][inside(k)], d[1][inside(d)], g[1][real_g]]
    entries = np.concatenate(rows), np.concatenate(columns)
    candidates = _nodes(bodies, v_start, n_v, collection, elements, number, delayed)
    nodes, pattern = min(
        ((nodes, sparse.pattern(*entries, _flat(nodes), layout)) for nodes in candidates),
        key=lambda pair: pair[1].t_start[-1],
    )
    g_slot, gt_slot = pattern.slots(offset + g[0], g[1], real_g), pattern.slots(g[1], offset + g[0], real_g)
    grid = np.array([(i, j) for i in range(3, 6) for j in range(3, 6)])
    turns = column[:n][~planar][:, grid]  # (bodies in space, 9, 2)
    diagonal = np.arange(layout)
    length = characteristic_length(model)
    units = np.array([row.unit == "length" for row in collection.rows], bool)

    index = sparse.index
    methods = (evaluate_bodies, retract_bodies, kinematics_bodies, map_bodies, sparse_accelerations, place_bodies)
    record = records.System(
        n_bodies=n,
        n_q=n_q,
        n_v=n_v,
        n_rows=n_rows,
        length=length,
        methods=table(METHODS, methods),
        q_start=index(q_start[:-1]),
        planar=index(planar),
        group=index(~planar),
        column=index(column),
        mass=np.array([b.mass for b in bodies], float),
        inertia=np.array([b.inertia for b in bodies], float).reshape(n, 9),
        equatorial=np.array([_equatorial(b.inertia) for b in bodies], float),
        gravity=np.array(model.gravity, float),
        rotation_slot=pattern.slots(turns[..., 0].ravel(), turns[..., 1].ravel()).reshape(-1, 9),
        gyroscopic=index(gyroscopic),
        stage=np.array(stage, np.int64),
        kernels=np.array([address_of(KERNEL, kernel) for kernel in kernels], np.int64),
        first=np.array(first, np.int64),
        operand_a=index([number_of[e.operands[0]] for e in elements]),
        operand_b=index([number_of[e.operands[1]] for e in elements]),
        row=index([e.row for e in elements]),
        g_first=index(g[2]),
        k_first=index(k[2]),
        d_first=index(d[2]),
        parameter=index(np.concatenate([[0], np.cumsum(lengths, dtype=int)])),
        functions=np.array([_function_address(e) for e in elements], np.int64),
        parameters=np.array([x for e in elements for x in e.parameters], float),
        vectors=index(_vectors(elements, number)).reshape(-1, 2),
        memory=collection.memory,
        velocity_level=index([row.velocity_level for row in collection.rows]),
        row_scale=np.where(units, 1.0 / length, 1.0),
        regularisation=np.zeros(n_rows),
        refinements=0,
        redundant=0,
        m_row=index(m_row),
        m_column=index(m_column),
        m_slot=pattern.slots(m_row, m_column),
        g_row=index(g[0]),
        g_column=index(g[1]),
        g_slot=g_slot,
        gt_slot=gt_slot,
        g_upper=np.where(g_slot < pattern.size + pattern.l_row.size, g_slot, gt_slot).astype(np.uint32),
        k_row=index(k[0]),
        k_column=index(k[1]),
        k_slot=pattern.slots(k[0], k[1], inside(k)),
        d_row=index(d[0]),
        d_column=index(d[1]),
        d_slot=pattern.slots(d[0], d[1], inside(d)),
        diagonal_slot=pattern.slots(diagonal, diagonal, diagonal != n_v),
        added_mass=np.zeros(n_v),
        t_row=index(t_row),
        t_column=index(t_column),
        metric=_metric(column, n_v, length),
        row_diagonal=np.ones(n_rows),
        row_weight=np.ones(n_rows),
        tq_row=index(tq_row),
        tq_column=index(tq_column),
        gq_entry=none,
        gq_map=none,
        kq_entry=none,
        kq_map=none,
        turn_q=index(q_start[:-1][~planar] + 3),
        turn_v=index(v_start[:-1][~planar] + 3),
        chart=records.NO_CHART,
        tree=records.NO_TREE,
    )
    system = System(
        record=record,
        pattern=pattern,
        name=model.name,
        rows=collection.rows,
        mass_values=m,
        start=_drawn(bodies, planar),
        model=model,
        keep=tuple(e.type for e in elements) + tuple(e.function for e in elements),
        measures=measures,
        nodes=nodes,
        entry_body=g[3],
        loads=tuple((e.force, *(number[b] for b in e.bodies)) for e in elements if e.type.stage == FORCE),
    )
    return system


def _equatorial(inertia):
    """The two equal principal moments of a body of revolution; 0 of other bodies."""
    low, middle, high = np.linalg.eigvalsh(inertia)
    return middle if min(middle - low, high - middle) <= SAME_MOMENT * high else 0.0


def _vectors(elements, number):
    """Where points and directions of bodies are among the parameters of all elements, and the bodies; (n, 2)."""
    found, first = [], 0
    for element in elements:
        found += [(first + place, number[element.bodies[side]]) for place, side in element.type.vectors]
        first += len(element.parameters)
    return found


def _sorted(collection):
    """Elements sorted by stage and kernel; kernels with the first element of each, and the kernels of each stage."""
    groups = {}
    for e in collection.elements:
        groups.setdefault((e.type.stage, id(e.type)), []).append(e)
    elements, kernels, first, stage = [], [], [0], [0]
    for wanted in (MEASURE, CONSTRAINT, FORCE):
        for (at, _), members in groups.items():
            if at == wanted:
                kernels.append(members[0].type.kernel)
                elements += members
                first.append(len(elements))
        stage.append(len(kernels))
    return elements, kernels, first, stage


def _function_address(element):
    return 0 if element.function is None else address_of(element.type.function, element.function)


def _entries(elements, which, number, column):
    """Row, column of the entries of G, K or D of all elements, the first entry of each element, and its body and direction."""
    first = np.zeros(len(elements) + 1, np.int64)
    rows, columns, places = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros((0, 2), np.int64)]
    i = 0
    while i < len(elements):  # runs of elements of one type at once
        j, kind = i, elements[i].type
        while j < len(elements) and elements[j].type is kind:
            j += 1
        pattern = getattr(kind, which)
        first[i + 1 : j + 1] = first[i] + len(pattern) * np.arange(1, j - i + 1)
        if len(pattern):
            bodies = np.array([[number[b] for b in e.bodies] for e in elements[i:j]])  # (e, sides)
            side, part = pattern[:, 1] // 6, pattern[:, 1] % 6
            found = column[bodies[:, side], part]
            found[:, pattern[:, 1] == NO_COLUMN] = column[-1, 0]
            columns.append(found.ravel())
            places.append(np.stack([bodies[:, side], np.tile(part, (j - i, 1))], -1).reshape(-1, 2))
            if which == "g":
                rows.append((np.array([e.row for e in elements[i:j]])[:, None] + pattern[:, 0]).ravel())
            else:
                found = column[bodies[:, pattern[:, 0] // 6], pattern[:, 0] % 6]
                found[:, pattern[:, 0] == NO_COLUMN] = column[-1, 0]
                rows.append(found.ravel())
        i = j
    return np.concatenate(rows), np.concatenate(columns), first, np.concatenate(places)


def _gyroscopic(planar, column, start):
    """First entry of d of each body, and the rows and columns of these entries."""
    spatial = np.flatnonzero(~planar)
    first = np.zeros(planar.size, np.int64)
    first[spatial] = start + 9 * np.arange(spatial.size)
    i, j = np.repeat([3, 4, 5], 3), np.tile([3, 4, 5], 3)
    return first, (column[spatial][:, i].ravel(), column[spatial][:, j].ravel())


def _metric(column, n_v, length):
    """Weight of each velocity (and of the dummy) that makes sums over columns of G independent of units."""
    metric = np.ones(n_v + 1)
    turns = column[:-1, 3:]
    metric[turns[turns < n_v]] = length**-2
    return metric


def _mass(bodies, planar, column):
    """Row, column and value of the entries of M: constant, block by block."""
    rows, columns, values = [], [], []
    for b, body in enumerate(bodies):
        c = column[b]
        directions = (0, 1) if planar[b] else (0, 1, 2)
        rows += [c[i] for i in directions]
        columns += [c[i] for i in directions]
        values += [body.mass] * len(directions)
        turns = (2,) if planar[b] else (0, 1, 2)
        for i in turns:
            for j in turns:
                if i == j or body.inertia[i, j] != 0.0:
                    rows.append(c[3 + i])
                    columns.append(c[3 + j])
                    values.append(body.inertia[i, j])
    return np.array(rows, np.int64), np.array(columns, np.int64), np.array(values, float)


def _kinematic_pattern(planar, q_start, v_start):
    """Rows and columns of T and of d(T v)/dq, in the order of kernels/bodies.py."""
    rows, columns, q_rows, q_columns = [], [], [], []
    for b in range(planar.size):
        o, u = int(q_start[b]), int(v_start[b])
        rows += [o, o + 1, o + 2]
        columns += [u, u + 1, u + 2]
        if not planar[b]:
            rows += [o + 3 + i for i in range(4) for _ in range(3)]
            columns += [u + 3 + c for _ in range(4) for c in range(3)]
            q_rows += [o + 3 + i for i in range(4) for _ in range(4)]
            q_columns += [o + 3 + c for _ in range(4) for c in range(4)]
    return tuple(np.array(part, np.int64) for part in (rows, columns, q_rows, q_columns))


def _nodes(bodies, v_start, n_v, collection, elements, number, delayed):
    """Nodes of the KKT matrix in the order of their elimination: (is a constraint, its unknowns).

    Several orders, which break ties differently, where the graph is small enough to try them.
    """
    n, groups = len(bodies), collection.groups
    neighbours = [set() for _ in range(n + len(groups))]
    for j, (_, _, members) in enumerate(groups):
        near = [number[b] for b in members if number[b] < n]
        for b in near:
            neighbours[b] |= {n + j, *near}
            neighbours[n + j].add(b)
    for e in elements:
        if e.type.stage == FORCE:
            near = [number[b] for b in e.bodies if number[b] < n]
            for b in near:
                neighbours[b].update(near)
    sizes = [int(s) for s in np.diff(v_start)] + [last - first for first, last, _ in groups]
    unknowns = [np.arange(v_start[b], v_start[b + 1]) for b in range(n)]
    unknowns += [np.arange(n_v + 1 + first, n_v + 1 + last) for first, last, _ in groups]
    orders = candidate_orders(sizes, [False] * n + [True] * len(groups), neighbours, frozenset(n + j for j in delayed))
    return [[(node >= n, unknowns[node]) for node in order] for order in orders]


def _flat(nodes):
    return np.concatenate([unknowns for _, unknowns in nodes])


def _drawn(bodies, planar):
    """The configuration q as the bodies are drawn."""
    from ..model.frames import quaternion

    parts = []
    for body, flat in zip(bodies, planar, strict=True):
        x = body.com_position
        if flat:
            parts.append([x[0], x[1], np.arctan2(body.rotation[1, 0], body.rotation[0, 0])])
        else:
            parts.append(np.concatenate([x, quaternion(body.rotation)]))
    return np.concatenate(parts)


def characteristic_length(model):
    """Root mean square distance (m) of the attachment points from the centres of mass; else the radius of gyration."""
    squares = []
    for element in [*model.joints.values(), *model.forces.values()]:
        for frame in (getattr(element, "frame_a", None), getattr(element, "frame_b", None)):
            if frame is not None and not frame.body.is_ground:
                squares.append(float(frame.point @ frame.point))
    if not squares or not max(squares) > 0.0:
        squares = [np.trace(b.inertia) / (2.0 * b.mass) for b in model.bodies.values() if b.mass > 0.0]
    mean = float(np.mean(squares)) if squares else 0.0
    return mean**0.5 if mean > 0.0 else 1.0
