import { createPatch, Pointer, type Operation } from 'rfc6902'

/** Limit of the product of two lists' lengths. The shortest patch takes a step for each pair; longer lists are replaced. */
const MAX_PAIRS = 250_000

const replacedList = (before: unknown, after: unknown, pointer: Pointer): Operation[] | undefined =>
  Array.isArray(before) && Array.isArray(after) && before.length * after.length > MAX_PAIRS
    ? [{ op: 'replace', path: pointer.toString(), value: after }]
    : undefined

/** The JSON Patch (RFC 6902) that converts one value into the other; empty if they are equal. */
export const patchOf = (before: unknown, after: unknown): readonly Operation[] =>
  createPatch(before, after, replacedList)

export const replacementPatchOf = (value: unknown): readonly Operation[] => [{ op: 'add', path: '', value }]
