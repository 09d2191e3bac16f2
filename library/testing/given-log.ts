import type { CommitRange, ReadableLog } from '../log.js'
import type { CustomProjection } from '../project.js'

export interface GivenLog {
  /** Resolves with the state that a projection gives, for an assertion of any test runner. */
  when<State>(projection: Pick<CustomProjection<State>, 'latest'>): Promise<State>
}

/** Begins a test with the commits of a log: `await givenLog(log).when(policies).then(state => …)`. */
export const givenLog = (log: ReadableLog, range: CommitRange = {}): GivenLog => ({
  when: projection => projection.latest(log, range)
})
