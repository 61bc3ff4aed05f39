"""Orthonormal basis of constraint rows and their complement in a metric H = L L^T, and how it turns along the motion.

    P = [G^T | B^T] = H W R,   W^T H W = 1,   W = [W_c W_d],   G W_d = 0,   W' = W S

Gram-Schmidt on the vectors L^-1 p: rows of Q, W = L^-T Q. Every vector is orthogonalised twice, which gives the basis of the
classical recursion to working accuracy however badly P is conditioned. For constant B only the first columns of P' differ
from zero, and with X R = W_d^T P' and N = W^T H' W the rows of S that are needed follow without differentiating the recursion:

    S_dc = X_dc - N_dc,   (S_dd)_ij = (X - N)_ij (i > j),   -N_ii / 2 (i = j),   -N_ij - S_ji (i < j)

Vectors are stored as rows: R[i, j], j <= i, is the part of p_i along basis vector j. Zeros of L are skipped, so that a block
diagonal metric costs next to nothing. Reference: spec 002, sections 2 and 3; Liang and Lance 1987; Blajer 1995.
"""

import math

import numpy as np

from ..compiled.pointers import compiled


@compiled
def cholesky(a, n):
    """L in place of the lower part of the symmetric a (n, n) = L L^T; False if it is not positive definite."""
    for k in range(n):
        if not a[k, k] > 0.0:
            return False
        pivot = math.sqrt(a[k, k])
        a[k, k] = pivot
        for i in range(k + 1, n):
            if a[i, k] != 0.0:
                a[i, k] /= pivot
        for i in range(k + 1, n):
            factor = a[i, k]
            if factor != 0.0:
                for j in range(k + 1, i + 1):
                    a[i, j] -= factor * a[j, k]
    return True


@compiled
def to_metric(factor, n, vectors, count):
    """The first `count` rows p of `vectors` become L^-1 p."""
    for c in range(n):
        for j in range(c):
            value = factor[c, j]
            if value != 0.0:
                for r in range(count):
                    vectors[r, c] -= value * vectors[r, j]
        inverse = 1.0 / factor[c, c]
        for r in range(count):
            vectors[r, c] *= inverse


@compiled
def from_metric(factor, n, vectors, count):
    """The first `count` rows x of `vectors` become L^-T x."""
    for i in range(n):
        c = n - 1 - i
        inverse = 1.0 / factor[c, c]
        for r in range(count):
            vectors[r, c] *= inverse
        for j in range(c):
            value = factor[c, j]
            if value != 0.0:
                for r in range(count):
                    vectors[r, j] -= value * vectors[r, c]


@compiled
def dual(factor, n, vectors, count):
    """The first `count` rows x of `vectors` become L x: covariant components of basis vectors."""
    for i in range(n):
        c = n - 1 - i
        for r in range(count):
            vectors[r, c] *= factor[c, c]
        for j in range(c):
            value = factor[c, j]
            if value != 0.0:
                for r in range(count):
                    vectors[r, c] += value * vectors[r, j]


@compiled
def orthonormalise(vectors, coefficients, source, place, scratch):
    """Row `source` becomes row `place`, orthonormal to the rows above it, its parts along them row `place` of `coefficients`.

    Returns what is left of its length, from 0 to 1. scratch : (2, columns).
    """
    p, r, parts, along = vectors[place], coefficients[place], scratch[0], scratch[1]
    size = 0.0
    for c in range(p.size):
        p[c] = vectors[source, c]
        size += p[c] * p[c]
    for j in range(place):
        r[j] = 0.0
    if place > 0:
        above = vectors[:place]
        for _ in range(2):
            np.dot(above, p, parts[:place])
            np.dot(parts[:place], above, along)
            for c in range(p.size):
                p[c] -= along[c]
            for j in range(place):
                r[j] += parts[j]
    rest = 0.0
    for c in range(p.size):
        rest += p[c] * p[c]
    r[place] = math.sqrt(rest)
    if rest > 0.0:
        for c in range(p.size):
            p[c] /= r[place]
    return math.sqrt(rest / size) if size > 0.0 else 0.0


@compiled
def basis_rate(coefficients, m, k, s, variation):
    """S_d (k, m + k) in place of W_d^T dG^T/dt in the first m columns of s; variation : (k, m + k) the N_d of a changing metric.

    X R = [W_d^T dG^T/dt, 0] is one forward substitution for each row.
    """
    for d in range(k):
        row = s[d]
        for c in range(m + k):
            r, total = coefficients[c], row[c] if c < m else 0.0
            for j in range(c):
                total -= r[j] * row[j]
            row[c] = total / r[c]
    for d in range(k):
        for c in range(m + d):
            s[d, c] -= variation[d, c]
        s[d, m + d] = -0.5 * variation[d, m + d]
    for d in range(k):
        for e in range(d + 1, k):
            s[d, m + e] = -variation[d, m + e] - s[e, m + d]


@compiled
def best_coordinates(factor, n, m, k, vectors, coefficients, room, scratch, order):
    """Coordinates whose directions best complete the m orthonormal rows of `vectors`: spec 002, section 3.1, with deflation.

    Picks k of them one after the other, each time the one with the largest share of its length outside of what is spanned
    already, and orthonormalises it: without that, parallel directions could be picked. Returns the smallest share (a squared
    sine), 0 where a direction is missing. order (n,) : numbers from 1 in the order of their choice, 0 for the others.
    room : (n or more, columns) and scratch : (4, columns) are overwritten.
    """
    width, size, rest = vectors.shape[1], scratch[2], scratch[3]
    for i in range(n):
        for c in range(width):
            room[i, c] = 1.0 if i == c else 0.0
    to_metric(factor, n, room, n)
    for i in range(n):
        total = 0.0
        for c in range(n):
            total += room[i, c] * room[i, c]
        size[i], rest[i], order[i] = total, total, 0
    for j in range(m):
        for c in range(width):
            room[j, c] = vectors[j, c]
    from_metric(factor, n, room, m)
    for j in range(m):
        for i in range(n):
            rest[i] -= room[j, i] * room[j, i]
    smallest = 1.0
    for d in range(k):
        best = 0
        for i in range(1, n):
            if rest[i] * size[best] > rest[best] * size[i]:
                best = i
        share = rest[best] / size[best]
        order[best], smallest = d + 1, min(smallest, max(share, 0.0))
        new, turned = vectors[m + d : m + d + 1], room[:1]
        for c in range(width):
            new[0, c] = 1.0 if c == best else 0.0
        to_metric(factor, n, new, 1)
        orthonormalise(vectors, coefficients, m + d, m + d, scratch)
        for c in range(width):
            turned[0, c] = new[0, c]
        from_metric(factor, n, turned, 1)
        for i in range(n):
            rest[i] -= turned[0, i] * turned[0, i]
        rest[best] = -size[best]  # used
    return smallest
