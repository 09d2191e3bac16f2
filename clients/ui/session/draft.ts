// An edited copy of a stored value. It follows the stored value until the first edit.
import { useState } from 'preact/hooks'

export interface Draft<T> {
  readonly value: T
  /** The stored value at the first edit. */
  readonly original: T
  readonly change: (part: Partial<T>) => void
  readonly isEdited: boolean
  /** The stored value changed after the first edit. */
  readonly isStale: boolean
  /** Index of the stored value at the first edit. */
  readonly base: number
  readonly discard: () => void
  /** Continues with the edits, and further ones, in place of the later stored value. */
  readonly keep: (part?: Partial<T>) => void
}

/** @param index of the latest change of the stored value */
export const useDraft = <T extends object>(stored: T, index: number): Draft<T> => {
  const [edited, setEdited] = useState<Pick<Draft<T>, 'value' | 'original' | 'base'>>()
  return {
    value: edited?.value ?? stored,
    original: edited?.original ?? stored,
    change: part =>
      setEdited((before = { value: stored, original: stored, base: index }) => ({
        ...before,
        value: { ...before.value, ...part }
      })),
    isEdited: edited !== undefined,
    isStale: edited !== undefined && edited.base !== index,
    base: edited?.base ?? index,
    discard: () => setEdited(undefined),
    keep: part =>
      setEdited(before => before && { value: { ...before.value, ...part }, original: stored, base: index })
  }
}
