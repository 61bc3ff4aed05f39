"""The KKT matrix [M G^T; G -epsilon] of a system, and what is solved with it: accelerations, reactions, projections.

Redundant rows are dealt with in two ways. For motion, a set of independent rows is selected at a consistent position
(select_rows) and the others are left out, by a huge epsilon: off the constraints, in the stages of a step, dependent rows no
longer depend on each other exactly and would fight. For reactions, all rows take part with a small epsilon, which gives the
smallest multipliers in scaled rows. Directions without mass carry an added mass that iterative refinement removes.
"""

import math

from ..compiled.interfaces import ACCELERATE, CONFIRM, EVALUATE, RETRACT, VELOCITY
from ..compiled.pointers import compiled
from .factor import UNSIGNED, UNSYMMETRIC, factorise_selecting, factorise_symmetric, solve, solve_symmetric

call_evaluate, call_retract, call_accelerate = EVALUATE.call, RETRACT.call, ACCELERATE.call
NEGLIGIBLE, LEFT_OUT = 1e-15, 1e8  # epsilon of a row, and of one that is left out, in natural sizes
EMPTY = 1e-20  # square of the size of a row without entries, in natural sizes
DEPENDENT = 3e-4  # pivot of a dependent row, in limits of weak pivots
COUNT, LEAVE, JUDGED, USUAL = range(4)  # of work.left_out
# share of a kept row in one that is left out, at which they are exchanged: along a motion, at a new choice
OVERUSED, FAIR = 4.0, 1.5
SOUND = 1e-6  # smallest pivot of a row that is taken in, as a share of its natural size
BARRED = 2.0  # times its usual epsilon, of a row that is not to be exchanged
MANY = 1e6  # such a share tells of no rows, but of a matrix that is nearly singular
GROWN = 2  # times the share in all rows that are left out, as it was when they were chosen: each is looked at again
FOREIGN = 100.0  # times that a share of a nonholonomic row counts in a holonomic one, which must do without
SINGULAR_SINE = 1e-4  # squared sine of the angle of a row to the rows before it, at a singular position
INVERSE_ITERATIONS = 4  # for the smallest singular value


@compiled
def evaluate(t, q, v, flags, system, work):
    """Everything that the flags ask for at (t, q, v), into work."""
    call_evaluate(system.methods[0], t, q, v, flags, system, work)


@compiled
def retract(q, increment, q_new, system, work):
    """q moved by an increment of size n_v, on the configuration space."""
    call_retract(system.methods[1], q, increment, q_new, system, work)


@compiled
def assemble_kkt(system, work):
    """The upper part of the symmetric KKT matrix with the M, G and epsilon in work."""
    a, m, g, m_slot, g_upper = work.kkt.a, work.m, work.g, system.m_slot, system.g_upper
    n_v, diagonal, added, epsilon = system.n_v, system.diagonal_slot, work.added, work.epsilon
    for i in range(a.size):
        a[i] = 0.0
    for e in range(m.size):
        a[m_slot[e]] += m[e] + added[e]
    for e in range(g.size):
        a[g_upper[e]] += g[e]
    for i in range(system.n_rows):
        a[diagonal[n_v + 1 + i]] = -epsilon[i]


@compiled
def factorise_kkt(system, work):
    """Factors of the symmetric KKT matrix with the M and G in work; False if a pivot vanishes."""
    assemble_kkt(system, work)
    return factorise_symmetric(work.kkt)


@compiled
def take_all_rows(system, work):
    """All rows take part: for reactions, and where rows are not yet satisfied."""
    for i in range(system.n_rows):
        work.epsilon[i] = system.regularisation[i]


@compiled
def select_rows(system, work, dependent=DEPENDENT, stay=False):
    """Choose independent rows with the M and G in work; leaves the KKT matrix factorised. All decisions about rows are made here.

    Which rows depend on others changes along a motion, and a choice that was good becomes bad: of the rows of two discs on one
    axle another one is redundant after each quarter of a turn. So what counts is how a row r that is left out is made of those
    kept, g_r = sum c_k g_k: errors of the latter show in it, times c. Rows that have been left out stay so while no |c| exceeds
    OVERUSED; then, or at a new choice, a row is exchanged for one that has more than FAIR of it, and the volume that the rows
    span grows by |c|. Neither drift nor rounding make a row independent in this sense, whatever the number of rows left out
    (work.left_out, see system/redundancy.py). At a singular position of the mechanism c does not change, and neither does the
    choice. Holonomic rows go before nonholonomic ones, which do not hold positions. Call it at a consistent position only.
    A row that depends on those before it in the order of elimination, although not on all others, is never taken in: its pivot
    would be rounding, and so would the accelerations. Another one is looked for then, or another row to be left out.
    stay : whether the rows chosen before stay at a singular position, too, where pivots do not tell which rows are redundant
    everywhere. Loads need that. For motion the row that is weak there may go: kept, it would give velocities jolts.
    """
    regular, limit = keep_rows(dependent, system, work), OVERUSED
    if not regular and still_independent(system, work):
        regular = factorise_kkt(system, work)
    if stay and not regular and may_stay(system, work):
        work.left_out[JUDGED] = work.kkt.report[3]
        return True
    if not regular:
        regular, limit = pick_rows(dependent, system, work), FAIR
    most, sound, barred = 0.0, min(SOUND, smallest_pivot(system, work)), False
    for _ in range(system.n_rows if work.left_out[COUNT] > 0 else 0):
        row, other, most = exchange(0, limit, system, work)
        if other == row and not (barred and limit < most < math.inf):
            row, other, more = exchange(1, limit, system, work)
            most = max(most, more)
            if other == row and not (barred and limit < more < math.inf):
                break
        if other == row:
            work.epsilon[row] = BARRED * NEGLIGIBLE * system.row_diagonal[row]
            continue
        swap_rows(row, other, system, work)
        regular, limit = factorise_kkt(system, work), FAIR
        if not smallest_pivot(system, work) >= sound:
            swap_rows(other, row, system, work)
            if sound < SOUND:  # near a singular position of the mechanism pivots do not tell one set from another
                regular = factorise_kkt(system, work)
                break
            work.epsilon[other] = BARRED * LEFT_OUT * system.row_diagonal[other]
            regular, barred = factorise_kkt(system, work), True
    if barred:
        lift_bars(system, work)
        regular = factorise_kkt(system, work)
        most = max(most_used(0, system, work)[1], most_used(1, system, work)[1])
    work.left_out[USUAL] = int(most) if most < MANY else 0
    work.left_out[JUDGED] = work.kkt.report[3]
    return regular


@compiled
def rows_left_out(system, work):
    """A number that tells one set of rows that are left out from another."""
    code = 0
    for i in range(system.n_rows):
        code += (i + 1) * (i + 1) if work.epsilon[i] > system.row_diagonal[i] else 0
    return code


@compiled
def count_left_out(system, work):
    """How many rows are left out."""
    count = 0
    for i in range(system.n_rows):
        count += 1 if work.epsilon[i] > system.row_diagonal[i] else 0
    return count


@compiled
def keep_rows(dependent, system, work):
    """Factors with the rows left out so far; False if that is not the right number, or another one has become dependent."""
    epsilon, natural, matrix, n_v = work.epsilon, system.row_diagonal, work.kkt, system.n_v
    a, weak, order, count = matrix.a, matrix.weak, matrix.order, count_left_out(system, work)
    if count == 0 or count != work.left_out[COUNT]:
        return False
    for i in range(system.n_rows):
        if not epsilon[i] > natural[i]:
            epsilon[i] = NEGLIGIBLE * natural[i]
    weak_pivots = matrix.report[4]
    if factorise_kkt(system, work):
        sound = True
        for k in range(order.size):  # a has inverse pivots
            sound = sound and (order[k] <= n_v or abs(a[k]) * dependent * weak[k] < 1.0)
        if sound:
            return True
    matrix.report[4] = weak_pivots
    return False


@compiled
def still_independent(system, work):
    """Whether the rows chosen before are independent although a pivot is weak: a row that comes before the columns it needs.

    Every other choice has such a row too, or leaves it out in place of one that is redundant.
    """
    chosen = work.left_out[COUNT] > 0 and count_left_out(system, work) == work.left_out[COUNT]
    return chosen and not sine_of_rows(True, True, system, work) < SINGULAR_SINE


@compiled
def may_stay(system, work):
    """Whether a chosen set of rows has weak pivots because the position is singular; leaves the KKT matrix factorised with it."""
    chosen = work.left_out[COUNT] > 0 and count_left_out(system, work) == work.left_out[COUNT]
    if not chosen or not squared_sine(True, system, work) < SINGULAR_SINE:
        return False
    return factorise_kkt(system, work)


@compiled
def pick_rows(dependent, system, work):
    """Leave out rows that depend on those before them in the order of elimination; False if a pivot vanishes all the same.

    A row whose pivot falls below `dependent` times the limit of weak ones is left out, but never more than work.left_out of
    them: at a singular position further rows are dependent for a moment, and leaving them out would tear the mechanism apart.
    Where redundant rows fit only nearly (work.play), weak rows are left out as well: kept, they would enlarge the misfit.
    """
    epsilon, natural = work.epsilon, system.row_diagonal
    if work.play[0] > 0.0:
        dependent = 1.0
    for i in range(system.n_rows):
        epsilon[i] = NEGLIGIBLE * natural[i]
    assemble_kkt(system, work)
    return factorise_selecting(work.kkt, system.n_v + 1, natural, epsilon, dependent, work.left_out[COUNT], LEFT_OUT)


@compiled
def most_used(level, system, work):
    """The kept row that is most used in a combination of all rows of a level that are left out, and how much, without units.

    From any factors in work.kkt of [A G^T; G -epsilon]: A d + G^T c = g_r has d = 0 where g_r is a combination of kept rows.
    The rows have unlike weights: by symmetry shares in them are often equal, and would cancel.
    level : 0 for holonomic rows, 1 for nonholonomic ones, of which holonomic ones never take the place. Overwrites work.e.
    """
    e, epsilon, natural, scale, n_v = work.e, work.epsilon, system.row_diagonal, system.row_scale, system.n_v
    g, g_row, g_column, velocity_level, weight = (
        work.g,
        system.g_row,
        system.g_column,
        system.velocity_level,
        system.row_weight,
    )
    row, most, found = 0, 0.0, False
    for i in range(system.n_rows):
        found = found or (epsilon[i] > natural[i] and velocity_level[i] == level)
    if not found:
        return row, most
    for i in range(e.size):
        e[i] = 0.0
    for k in range(g.size):
        i = g_row[k]
        if epsilon[i] > natural[i] and velocity_level[i] == level:
            e[g_column[k]] += scale[i] * g[k] * weight[i]
    e[n_v] = 0.0
    if work.kkt.report[UNSYMMETRIC] == 1:
        solve(work.kkt, e, e)
    else:
        solve_symmetric(work.kkt, e, e)
    for i in range(system.n_rows):
        if not epsilon[i] > 0.5 * (1.0 + BARRED) * NEGLIGIBLE * natural[i] and velocity_level[i] >= level:
            size = abs(e[n_v + 1 + i]) / scale[i] * (FOREIGN if velocity_level[i] > level else 1.0)
            if size > most:
                row, most = i, size
    return row, most


@compiled
def overused(system, work):
    """Whether rows should be selected anew, by the factors in work.kkt of a matrix [A G^T; G -epsilon]; each is judged once.

    One combination of all rows that are left out stands for each of them. Of many rows it has large shares although those of each
    are small, so that it is compared with what it was when the rows were chosen.
    """
    if work.left_out[COUNT] == 0 or work.left_out[JUDGED] == work.kkt.report[3]:
        return False
    work.left_out[JUDGED] = work.kkt.report[3]
    limit = max(OVERUSED, GROWN * work.left_out[USUAL])
    return most_used(0, system, work)[1] > limit or most_used(1, system, work)[1] > limit


@compiled
def exchange(level, limit, system, work):
    """A kept row of which more than `limit` is in one of a level that is left out, and that one; the same twice if there is none.

    Returned third is the largest share of a kept row in the combination of all that are left out.
    """
    e, epsilon, natural, scale, n_v = work.e, work.epsilon, system.row_diagonal, system.row_scale, system.n_v
    g, g_row, g_column, first = work.g, system.g_row, system.g_column, system.n_v + 1
    row, most = most_used(level, system, work)
    if not limit < most < math.inf:
        return row, row, most
    for i in range(e.size):
        e[i] = 0.0
    e[first + row] = 1.0 / scale[row]
    solve_symmetric(work.kkt, e, e)  # a motion x that only this row of the kept ones sees: g_r x is its share of g_r
    e[n_v] = 0.0
    for i in range(system.n_rows):
        e[first + i] = 0.0
    for k in range(g.size):
        e[first + g_row[k]] += scale[g_row[k]] * g[k] * e[g_column[k]]
    other, share, high = (
        row,
        limit / (FOREIGN if system.velocity_level[row] > level else 1.0),
        0.5 * (1.0 + BARRED) * LEFT_OUT,
    )
    for i in range(system.n_rows):
        free = natural[i] < epsilon[i] < high * natural[i] and system.velocity_level[i] == level
        if free and abs(e[first + i]) > share:
            other, share = i, abs(e[first + i])
    return row, other, most


@compiled
def swap_rows(out, back, system, work):
    """Leave out a row that was kept, and keep one that was left out."""
    work.epsilon[out] = LEFT_OUT * system.row_diagonal[out]
    work.epsilon[back] = NEGLIGIBLE * system.row_diagonal[back]


@compiled
def lift_bars(system, work):
    """All rows may be exchanged again."""
    epsilon, natural = work.epsilon, system.row_diagonal
    for i in range(system.n_rows):
        epsilon[i] = (LEFT_OUT if epsilon[i] > natural[i] else NEGLIGIBLE) * natural[i]


@compiled
def smallest_pivot(system, work):
    """The smallest pivot of a kept row in the factors of the KKT matrix, as a share of its natural size."""
    matrix, n_v, natural, least = work.kkt, system.n_v, system.row_diagonal, math.inf
    for k in range(matrix.order.size):
        if matrix.order[k] <= n_v:  # before it is subtracted: it has no sign
            continue
        i = matrix.order[k] - n_v - 1
        if not work.epsilon[i] > natural[i]:
            least = min(least, 1.0 / (abs(matrix.a[k]) * natural[i]))  # a has inverse pivots
    return least


@compiled
def smallest_square(matrix, size, system, work):
    """Estimate of the smallest eigenvalue of G W G^T, rows divided by their sizes, whose squares are `size`; overwrites work.b.

    Inverse iteration with the factors of [W^-1 G^T; G -epsilon] in `matrix`. A pivot may be small only because
    columns of its row are still to come.
    """
    b, n_v, growth = work.b, system.n_v, 0.0
    for i in range(system.n_rows):
        b[n_v + 1 + i] = math.cos(i + 1.0) * math.sqrt(size[i])
    for _ in range(INVERSE_ITERATIONS):
        before, after = 0.0, 0.0
        for i in range(n_v + 1):
            b[i] = 0.0
        for i in range(system.n_rows):
            before += b[n_v + 1 + i] ** 2 / size[i]
        solve_symmetric(matrix, b, b)
        for i in range(system.n_rows):
            after += b[n_v + 1 + i] ** 2 * size[i]
        if not 0.0 < after < math.inf:
            return 0.0
        growth = math.sqrt(after / before)
        for i in range(system.n_rows):
            b[n_v + 1 + i] *= size[i] / math.sqrt(after)
    return 1.0 / growth


@compiled
def squared_sine(vanishing, system, work):
    """How nearly more rows than are redundant everywhere depend on others, by geometry alone, whatever the masses: the squared
    sine of an angle, 1 where it is not below SINGULAR_SINE. Overwrites the factors in work.kkt.

    A position is regular if any set of rows that leaves out the redundant ones is independent. The first set leaves out rows
    whose pivots vanish in the order of elimination; such a row may only come before the columns that it needs. So the set
    chosen for the motion is tried as well.
    vanishing : whether a row that next to nothing moves counts as well, as loops in relative coordinates have them; short cranks
    may have such rows everywhere.
    """
    found = sine_of_rows(False, vanishing, system, work)
    if found < SINGULAR_SINE and work.left_out[COUNT] > 0 and count_left_out(system, work) == work.left_out[COUNT]:
        found = max(found, sine_of_rows(True, vanishing, system, work))
    return found


@compiled
def sine_of_rows(chosen, vanishing, system, work):
    """squared_sine() of one set of rows: those chosen for the motion, or as many of the weakest left out in elimination.

    Pivots of [W^-1 G^T; G 0] are squared sizes of what is left of a row behind the rows before it.
    """
    matrix, n_v, g, metric = work.kkt, system.n_v, work.g, system.metric
    a, report, diagonal, order, limits = matrix.a, matrix.report, system.diagonal_slot, matrix.order, matrix.weak
    g_row, g_column, g_upper = system.g_row, system.g_column, system.g_upper
    epsilon, usual = work.epsilon, system.row_diagonal
    size, left_out, kept = work.e, work.u, work.b
    weak, first, vanished = report[0], report[1], report[2]
    for i in range(a.size):
        a[i] = 0.0
    for i in range(n_v):
        a[diagonal[i]] = 1.0 / metric[i]
    for i in range(system.n_rows):
        size[i] = 0.0
    for e in range(g.size):
        a[g_upper[e]] += g[e]
        if g_column[e] < n_v:
            size[g_row[e]] += g[e] * g[e] * metric[g_column[e]]
    for i in range(system.n_rows):
        natural = 1.0 / (system.row_scale[i] * system.length) ** 2
        # a row that nothing moves, such as one across a plane mechanism, is redundant
        if not size[i] > (natural if vanishing else EMPTY * natural):
            size[i] = natural
        if chosen and epsilon[i] > usual[i]:
            a[diagonal[n_v + 1 + i]] = -LEFT_OUT * size[i]
    for k in range(order.size):
        kept[k] = limits[k]
        limits[k] = SINGULAR_SINE * size[order[k] - n_v - 1] if order[k] > n_v else 0.0
    count = 0 if chosen else work.left_out[COUNT]
    factorise_selecting(matrix, n_v + 1, size, left_out, 1.0, count, LEFT_OUT)
    for k in range(order.size):
        limits[k] = kept[k]
    found = report[0]
    report[0], report[1], report[2] = weak, first, vanished
    return smallest_square(matrix, size, system, work) if found > 0 else 1.0


@CONFIRM
def near_singular(system, work):
    """1 if the position is a singular one, 0 otherwise; overwrites the factors in work.kkt."""
    return 1 if squared_sine(False, system, work) < SINGULAR_SINE else 0


@compiled
def discount_stiffness(c_v, c_q, system, work):
    """Counts the weak pivots of [M + c_v D + c_q K, G^T; G, -epsilon] anew, after its factorisation; nothing is done without any.

    Stiff springs and dampers make G (M + c_v D + c_q K)^-1 G^T small wherever the mechanism stands. What they can explain, by the
    diagonal of that matrix beside the diagonal of M, is no weakness.
    """
    matrix, n_v, m, k, d, g = work.kkt, system.n_v, work.m, work.k, work.d, work.g
    a, order, limits, report, soft, stiff = matrix.a, matrix.order, matrix.weak, matrix.report, work.b, work.e
    if report[0] == 0:
        return
    for i in range(n_v + 1 + system.n_rows):
        soft[i], stiff[i] = 0.0, 0.0
    for e in range(m.size):
        if system.m_row[e] == system.m_column[e]:
            soft[system.m_row[e]] += m[e] + work.added[e]
    for e in range(k.size):
        if system.k_row[e] == system.k_column[e]:
            stiff[system.k_row[e]] += c_q * k[e]
    for e in range(d.size):
        if system.d_row[e] == system.d_column[e]:
            stiff[system.d_row[e]] += c_v * d[e]
    for e in range(g.size):
        i, j = n_v + 1 + system.g_row[e], system.g_column[e]
        if j < n_v and soft[j] > 0.0:
            soft[i] += g[e] * g[e] / soft[j]
            stiff[i] += g[e] * g[e] / (soft[j] + abs(stiff[j]))
    weak, first = 0, -1
    for p in range(order.size):
        i = order[p]
        share = stiff[i] / soft[i] if i > n_v and soft[i] > 0.0 else 1.0
        if not abs(a[p]) * share * limits[p] < 1.0:  # a has inverse pivots
            weak += 1
            first = p if first < 0 else first
    report[4] -= report[0] - weak
    report[0], report[1] = weak, first


@compiled
def multiply_mass(system, work, x, y):
    """y = M x on the first n_v numbers."""
    m, m_row, m_column = work.m, system.m_row, system.m_column
    for i in range(system.n_v + 1):
        y[i] = 0.0
    for e in range(m.size):
        y[m_row[e]] += m[e] * x[m_column[e]]


@compiled
def kinetic_energy(v, momentum, system, work):
    """Kinetic energy (J) at v (n_v), work being evaluated; momentum (n_v + 1) is scratch."""
    multiply_mass(system, work, v, momentum)
    twice = 0.0
    for i in range(system.n_v):
        twice += v[i] * momentum[i]
    return 0.5 * twice


@compiled
def add_reaction(system, work, lam, offset, y):
    """y += G^T lam, with lam from `offset` on."""
    g, g_row, g_column, first = work.g, system.g_row, system.g_column, UNSIGNED(offset)
    for e in range(g.size):
        y[g_column[e]] += g[e] * lam[first + g_row[e]]


@compiled
def solve_regularised(work, b, u):
    """u = [M + added mass, G^T; G, -eps]^-1 b after factorise_kkt()."""
    solve_symmetric(work.kkt, b, u)


@compiled
def solve_kkt(system, work, b, u):
    """u = [M G^T; G -epsilon]^-1 b after factorise_kkt(), without the added mass. u must not be b."""
    matrix, e, n_v, epsilon = work.kkt, work.e, system.n_v, work.epsilon
    g, g_row, g_column = work.g, system.g_row, system.g_column
    solve_symmetric(matrix, b, u)
    u[n_v] = 0.0
    for _ in range(system.refinements):
        multiply_mass(system, work, u, e)
        add_reaction(system, work, u, n_v + 1, e)
        for i in range(n_v):
            e[i] = b[i] - e[i]
        e[n_v] = 0.0
        for i in range(system.n_rows):
            e[n_v + 1 + i] = b[n_v + 1 + i] + epsilon[i] * u[n_v + 1 + i]
        for k in range(g.size):
            e[n_v + 1 + g_row[k]] -= g[k] * u[g_column[k]]
        solve_symmetric(matrix, e, e)
        change, size = 0.0, 0.0
        for i in range(u.size):
            if i != n_v:
                u[i] += e[i]
                change, size = max(change, abs(e[i])), max(size, abs(u[i]))
        if change <= 1e-15 * size:
            break


@compiled
def solve_all_rows(system, work, b, u):
    """u = [M G^T; G 0]^-1 b with redundant but consistent rows: the multipliers are the smallest in scaled rows.

    Iterated regularisation: corrections stay in the range of G M^-1 G^T, and the effect of epsilon goes with its powers.
    """
    matrix, e, n_v = work.kkt, work.e, system.n_v
    g, g_row, g_column = work.g, system.g_row, system.g_column
    for i in range(u.size):
        u[i] = 0.0
    for _ in range(5):
        multiply_mass(system, work, u, e)
        add_reaction(system, work, u, n_v + 1, e)
        for i in range(n_v):
            e[i] = b[i] - e[i]
        e[n_v] = 0.0
        for i in range(system.n_rows):
            e[n_v + 1 + i] = b[n_v + 1 + i]
        for k in range(g.size):
            e[n_v + 1 + g_row[k]] -= g[k] * u[g_column[k]]
        solve_symmetric(matrix, e, e)
        e[n_v] = 0.0
        for i in range(u.size):
            u[i] += e[i]


@compiled
def accelerations(t, q, v, system, work):
    """work.u = [v', 0, lam] from M v' + G^T lam = f, G v' = gamma. False where the matrix is singular."""
    return call_accelerate(system.methods[4], t, q, v, system, work)


@compiled
def evaluated_accelerations(system, work):
    """As accelerations(), where work is evaluated already, with the KKT matrix."""
    b, f, gamma, n_v = work.b, work.f, work.gamma, system.n_v
    for i in range(n_v):
        b[i] = f[i]
    for i in range(system.n_rows):
        b[n_v + 1 + i] = gamma[i]
    regular = factorise_kkt(system, work)
    solve_kkt(system, work, b, work.u)
    return regular


@ACCELERATE
def sparse_accelerations(t, q, v, system, work):
    """By the sparse factors of the KKT matrix."""
    evaluate(t, q, v, VELOCITY, system, work)
    return evaluated_accelerations(system, work)


@compiled
def selected_accelerations(system, work):
    """work.u = [v', 0, lam] at a consistent state, where work is evaluated already: the rows are selected anew."""
    b, f, gamma, n_v = work.b, work.f, work.gamma, system.n_v
    regular = select_rows(system, work, DEPENDENT, True)
    for i in range(n_v):
        b[i] = f[i]
    b[n_v] = 0.0
    for i in range(system.n_rows):
        b[n_v + 1 + i] = gamma[i]
    solve_kkt(system, work, b, work.u)
    return regular


@compiled
def consistent_accelerations(t, q, v, system, work):
    """As accelerations(), at a consistent state: the rows are selected anew, and the multipliers in work.u and work.lam are the
    smallest in scaled rows that give these accelerations. False where the matrix is singular. (For output: it allocates.)"""
    if system.n_rows == 0:
        return accelerations(t, q, v, system, work)
    evaluate(t, q, v, VELOCITY, system, work)
    regular = selected_accelerations(system, work)
    if system.redundant:
        spread_multipliers(system, work)
    for i in range(system.n_rows):
        work.lam[i] = work.u[system.n_v + 1 + i]
    return regular


@compiled
def spread_multipliers(system, work):
    """The smallest multipliers of all rows for the accelerations in work.u = [v', 0, lam], which the selected rows have given.

    Close to a singular position the smallest ones would leave a part of the load unborne, as an epsilon has the same size there
    as what holds the mechanism: so rows that are left out take them, and the selected ones what is in balance with these.
    """
    b, u, n_v, lam, f, epsilon = work.b, work.u, system.n_v, work.lam, work.f, work.epsilon
    g, g_row, g_column = work.g, system.g_row, system.g_column
    # all rows with G v' on their right-hand side: what gamma has outside the range of G must not be divided by epsilon
    for i in range(system.n_rows):
        b[n_v + 1 + i] = 0.0
    for k in range(g.size):
        b[n_v + 1 + g_row[k]] += g[k] * u[g_column[k]]
    acceleration, chosen = u[: n_v + 1].copy(), epsilon.copy()
    take_all_rows(system, work)
    factorise_kkt(system, work)
    solve_all_rows(system, work, b, u)
    for i in range(system.n_rows):
        lam[i], epsilon[i] = u[n_v + 1 + i], chosen[i]
    factorise_kkt(system, work)
    for i in range(n_v):
        b[i] = f[i]
    for k in range(g.size):
        if epsilon[g_row[k]] > system.row_diagonal[g_row[k]]:
            b[g_column[k]] -= g[k] * lam[g_row[k]]
    b[n_v] = 0.0
    solve_kkt(system, work, b, u)
    for i in range(n_v + 1):
        u[i] = acceleration[i]
    for i in range(system.n_rows):
        if epsilon[i] > system.row_diagonal[i]:
            u[n_v + 1 + i] = lam[i]


@compiled
def position_error(system, work):
    """Largest |Phi| of the holonomic rows, in units of the characteristic length or in radians.

    Rows that are left out may gape by work.play, where redundant rows fit only nearly.
    """
    phi, scale, velocity_level, largest = work.phi, system.row_scale, system.velocity_level, 0.0
    epsilon, natural, play = work.epsilon, system.row_diagonal, work.play[0]
    for i in range(system.n_rows):
        if not velocity_level[i]:
            size = abs(phi[i]) * scale[i]
            if play > 0.0 and epsilon[i] > natural[i]:
                size = max(size - play, 0.0)
            if size > largest or size != size:  # a NaN passes too, and stays
                largest = size
    return largest


@compiled
def velocity_error(system, work):
    """Largest |G v + Phi_t|, nonholonomic rows included, in characteristic lengths or radians per second.

    Rows that are left out are not judged where redundant rows fit only nearly.
    """
    phi_dot, scale, largest = work.phi_dot, system.row_scale, 0.0
    epsilon, natural, nearly = work.epsilon, system.row_diagonal, work.play[0] > 0.0
    for i in range(system.n_rows):
        size = 0.0 if nearly and epsilon[i] > natural[i] else abs(phi_dot[i]) * scale[i]
        if size > largest or size != size:
            largest = size
    return largest


@compiled
def project_velocity(system, work, v):
    """The velocity nearest to v in the mass metric with G v = -Phi_t; needs factorise_kkt() and phi_dot at v."""
    b, u, phi_dot, n_v = work.b, work.u, work.phi_dot, system.n_v
    for i in range(n_v + 1):
        b[i] = 0.0
    for i in range(system.n_rows):
        b[n_v + 1 + i] = -phi_dot[i]
    solve_kkt(system, work, b, u)
    for i in range(n_v):
        v[i] += u[i]


@compiled
def project_position(t, q, v, tolerance, iterations, system, work):
    """Moves q onto Phi = 0 by steps that are smallest in the mass metric (Blajer 4.5a). The error that is left.

    Ends with work evaluated at the new q and v, and its KKT matrix factorised there.
    """
    b, u, phi, n_v, velocity_level = work.b, work.u, work.phi, system.n_v, system.velocity_level
    error = 0.0
    for iteration in range(iterations + 1):
        evaluate(t, q, v, VELOCITY, system, work)
        factorise_kkt(system, work)
        error = position_error(system, work)
        if error <= tolerance or iteration == iterations:
            break
        for i in range(n_v + 1):
            b[i] = 0.0
        for i in range(system.n_rows):
            b[n_v + 1 + i] = 0.0 if velocity_level[i] else -phi[i]
        solve_kkt(system, work, b, u)
        retract(q, u, q, system, work)
    return error
