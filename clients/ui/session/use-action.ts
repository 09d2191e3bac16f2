import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { messageOf } from '../../../events/errors.js'
import { useValueFor } from './use-response.js'

interface Run<T> {
  /** Undefined during a run and after a failure. */
  readonly result?: T
  /** Undefined during a run and after a success. */
  readonly failure?: string
  readonly isRunning: boolean
}

interface ActionState<T> extends Run<T> {
  /** The signal aborts at the next run, at a change of the inputs and when the component is removed. */
  readonly run: (action: (signal: AbortSignal) => Promise<T>) => void
}

/** Returns the state of the last run for these inputs. The result of an earlier run is ignored. */
export const useAction = <T = void>(inputs: readonly unknown[] = []): ActionState<T> => {
  const [state = { isRunning: false }, setState] = useValueFor<Run<T>>(inputs)
  const current = useRef<AbortController>(undefined)
  const abort = (): void => current.current?.abort()
  useEffect(() => abort, inputs)
  const run = (action: (signal: AbortSignal) => Promise<T>): void => {
    abort()
    const { signal } = (current.current = new AbortController())
    const show = (next: Run<T>): void => {
      if (!signal.aborted) setState(next)
    }
    show({ isRunning: true })
    action(signal).then(
      result => show({ isRunning: false, result }),
      (error: unknown) => show({ isRunning: false, failure: messageOf(error) })
    )
  }
  return { ...state, run }
}

/** As `route` of `useLocation`, for use after a response: it does nothing if the user has opened another page meanwhile. */
export const useRoute = (): ReturnType<typeof useLocation>['route'] => {
  const { url, route } = useLocation()
  return (...target) => {
    const { pathname, search } = new URL(url, location.origin)
    if (pathname === location.pathname && search === location.search) route(...target)
  }
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
