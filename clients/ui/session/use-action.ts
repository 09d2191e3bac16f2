// What people do on a page, and why it was not done.
import { useState } from 'preact/hooks'
import { failureOf } from './failure.js'

interface ActionState {
  /** Of the last one; undefined when it was done or is under way. */
  readonly failure: string | undefined
  /** Whether the server is yet to answer. */
  readonly isRunning: boolean
  readonly run: (deed: () => Promise<void>) => void
}

export const useAction = (): ActionState => {
  const [failure, setFailure] = useState<string>()
  const [isRunning, setIsRunning] = useState(false)
  const run = (deed: () => Promise<void>): void => {
    setFailure(undefined)
    setIsRunning(true)
    deed()
      .catch((error: unknown) => setFailure(failureOf(error)))
      .finally(() => setIsRunning(false))
  }
  return { failure, isRunning, run }
}
