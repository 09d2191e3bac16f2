import { useEffect, useMemo, useState } from 'preact/hooks'
import type { StreamState } from '../live/stream-state.js'
import { useStream } from '../live/use-stream.js'

/** Runs a task, and runs it again when a dependency changes. `fail` is not called after an abort. */
export const useTask = (
  task: (signal: AbortSignal) => Promise<void>,
  fail: (error: unknown) => void,
  dependencies: readonly unknown[]
): void =>
  useEffect(() => {
    const controller = new AbortController()
    task(controller.signal).catch((error: unknown) => {
      if (!controller.signal.aborted) fail(error)
    })
    return () => controller.abort()
  }, dependencies)

interface Changes {
  /** Changes with the resources. */
  readonly turn: number
  readonly state: StreamState
  readonly refresh: () => void
}

/** Follows the events of these topics in all namespaces. */
export const useChanges = (...topics: readonly string[]): Changes => {
  const [turn, setTurn] = useState(0)
  const refresh = (): void => setTurn(before => before + 1)
  const options = useMemo(() => ({ topics, index: 'now', namespace: '*' }) as const, [topics.join(' ')])
  const state = useStream(options, messages => {
    if (messages.some(({ Events }) => Events.length > 0)) refresh()
  })
  return { turn, state, refresh }
}
