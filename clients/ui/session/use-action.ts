import { useRef, useState } from 'preact/hooks'
import { messageOf } from '../../../events/errors.js'

interface ActionState {
  /** Failure of the last run; undefined during a run and after a success. */
  readonly failure: string | undefined
  readonly isRunning: boolean
  /** @param show is given the result, unless a later run has begun */
  readonly run: <T>(action: () => Promise<T>, show?: (result: T) => void) => void
}

export const useAction = (): ActionState => {
  const [failure, setFailure] = useState<string>()
  const [isRunning, setIsRunning] = useState(false)
  const runs = useRef(0)
  const run = <T>(action: () => Promise<T>, show: (result: T) => void = () => {}): void => {
    const number = ++runs.current
    const unlessLater =
      <V>(tell: (value: V) => void) =>
      (value: V): void => {
        if (number === runs.current) tell(value)
      }
    setFailure(undefined)
    setIsRunning(true)
    action()
      .then(unlessLater(show))
      .catch(unlessLater((error: unknown) => setFailure(messageOf(error))))
      .finally(() => unlessLater(setIsRunning)(false))
  }
  return { failure, isRunning, run }
}

// An edited copy of a stored value. It follows the stored value until the first edit.
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
