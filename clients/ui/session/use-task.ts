import { useEffect, useRef, useState } from 'preact/hooks'

/** A number, and a function that changes it, which repeats the requests that depend on it. */
export const useTurn = (): readonly [turn: number, refresh: () => void] => {
  const [turn, setTurn] = useState(0)
  return [turn, () => setTurn(before => before + 1)]
}

const areSame = (some: readonly unknown[], others: readonly unknown[]): boolean =>
  some.length === others.length && some.every((value, at) => Object.is(value, others[at]))

/** Returns a value that is valid for these inputs: undefined after a change of one, until it is set for the changed ones. */
export const useValueFor = <T>(
  inputs: readonly unknown[]
): readonly [value: T | undefined, set: (value: T | undefined) => void] => {
  const [held, setHeld] = useState<{ readonly inputs: readonly unknown[]; readonly value: T | undefined }>()
  const latest = useRef(inputs)
  latest.current = inputs
  const set = (value: T | undefined): void => {
    if (areSame(inputs, latest.current)) setHeld({ inputs, value })
  }
  return [held && areSame(held.inputs, inputs) ? held.value : undefined, set]
}

/**
 * Runs a task. A changed dependency aborts it and runs it again; a changed turn runs it again after its end, so that frequent changes
 * do not starve it. `fail` is not called after an abort.
 */
export const useTask = (
  task: (signal: AbortSignal) => Promise<void>,
  fail: (error: unknown) => void,
  dependencies: readonly unknown[],
  turn?: unknown
): void => {
  const latest = useRef({ task, fail })
  latest.current = { task, fail }
  const begun = useRef(turn)
  const repeat = useRef<() => void>(undefined)
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    let isWanted = true
    const run = async (): Promise<void> => {
      while (isWanted && !signal.aborted) {
        isWanted = false
        await latest.current.task(signal).catch((error: unknown) => {
          if (!signal.aborted) latest.current.fail(error)
        })
      }
    }
    let running = run()
    repeat.current = () => {
      isWanted = true
      running = running.then(run)
    }
    begun.current = turn
    return () => controller.abort()
  }, dependencies)
  useEffect(() => {
    if (begun.current !== turn) repeat.current?.()
    begun.current = turn
  }, [turn])
}
