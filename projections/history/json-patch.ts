// What has changed from one JSON value to another, as a JSON Patch (RFC 6902).
import { createPatch, Pointer, type Operation } from 'rfc6902'

/** A change of lists whose lengths multiply to more is told as the whole new list: finding the shortest one takes a step for each pair. */
const MOST_PAIRS = 250_000

/** The whole list in place of the one before, where they are too long to look for what has changed within. */
const wholeList = (before: unknown, after: unknown, pointer: Pointer): Operation[] | undefined =>
  Array.isArray(before) && Array.isArray(after) && before.length * after.length > MOST_PAIRS
    ? [{ op: 'replace', path: pointer.toString(), value: after }]
    : undefined

/** Operations that make of one value the other; none when they are the same. */
export const patchOf = (before: unknown, after: unknown): readonly Operation[] =>
  createPatch(before, after, wholeList)

/** The patch of a value that there was nothing before: it makes a whole document. */
export const replacementPatchOf = (value: unknown): readonly Operation[] => [{ op: 'add', path: '', value }]
