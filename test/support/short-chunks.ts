// Computations whose chunks last one step, so that a list of some hundred rows is read in several chunks, on any machine.
import { CHUNK_MS } from '../../http/wire/cooperative-chunks.js'
import type { Scope } from './process.js'

/** Lets each look at the clock of the thread take the time of a chunk, until the end of the scope. Servers of the test must start after it. */
export const shortenChunks = (scope: Scope): void => {
  const now = performance.now.bind(performance)
  let looks = 0
  performance.now = () => now() + CHUNK_MS * ++looks
  scope.teardown(() => {
    performance.now = now
  })
}
