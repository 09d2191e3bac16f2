// What somebody edits, beside what is stored: it follows the store until something is typed.
import { useState } from 'preact/hooks'

export interface Draft<T> {
  readonly value: T
  readonly change: (part: Partial<T>) => void
  readonly isEdited: boolean
  /** Whether the store has changed since somebody began to type. */
  readonly isStale: boolean
  readonly discard: () => void
}

/** @param index of the last change of what is stored */
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
