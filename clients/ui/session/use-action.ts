import { useState } from 'preact/hooks'
import { messageOf } from '../../../events/errors.js'

interface ActionState {
  /** Failure of the last run; undefined during a run and after a success. */
  readonly failure: string | undefined
  readonly isRunning: boolean
  readonly run: (action: () => Promise<void>) => void
}

export const useAction = (): ActionState => {
  const [failure, setFailure] = useState<string>()
  const [isRunning, setIsRunning] = useState(false)
  const run = (action: () => Promise<void>): void => {
    setFailure(undefined)
    setIsRunning(true)
    action()
      .catch((error: unknown) => setFailure(messageOf(error)))
      .finally(() => setIsRunning(false))
  }
  return { failure, isRunning, run }
}
