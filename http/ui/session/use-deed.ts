// What people do on a page, and why it was not done.
import { useState } from 'preact/hooks'
import { failureOf } from './use-answer.js'

export interface Deeds {
  /** Of the last one; undefined when it was done or is under way. */
  readonly failure: string | undefined
  readonly run: (deed: () => Promise<void>) => void
}

export const useDeed = (): Deeds => {
  const [failure, setFailure] = useState<string>()
  const run = (deed: () => Promise<void>): void => {
    setFailure(undefined)
    deed().catch((error: unknown) => setFailure(failureOf(error)))
  }
  return { failure, run }
}
