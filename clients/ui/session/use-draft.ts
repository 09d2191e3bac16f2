// An edited copy of a stored value. It follows the stored value until the first edit.
import { useState } from 'preact/hooks'

export interface Draft<T> {
  readonly value: T
  readonly change: (part: Partial<T>) => void
  readonly isEdited: boolean
  /** The stored value changed after the first edit. */
  readonly isStale: boolean
  readonly discard: () => void
}

/** @param index of the latest change of the stored value */
export const useDraft = <T extends object>(stored: T, index: number): Draft<T> => {
  const [edited, setEdited] = useState<{ readonly value: T; readonly base: number }>()
  return {
    value: edited?.value ?? stored,
    change: part =>
      setEdited(before => ({
        value: { ...(before?.value ?? stored), ...part },
        base: before?.base ?? index
      })),
    isEdited: edited !== undefined,
    isStale: edited !== undefined && edited.base !== index,
    discard: () => setEdited(undefined)
  }
}
