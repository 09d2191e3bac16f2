// Time between datacenters, as a test says it.
import { POLL_INTERVAL_MS } from '../../../../server/cluster/datacenters/datacenter-poller.js'
import { RoundTrips } from '../../../../server/cluster/datacenters/round-trips.js'
import { SetClock } from '../../../../library/testing/set-clock.js'
import type { TestDatacenters } from '../../../support/datacenters.js'
import { until } from '../../../support/wait.js'

/** A clock that stands still between what the test does, so that none is late because the machine is busy. */
export const stillClock = (): SetClock => new SetClock({ runs: false })

/** Has a server measure the way to all others once. @param far one of them, and how long it takes there and back; no time to the others */
export const measured = async (
  all: TestDatacenters,
  from: string,
  far: { readonly slow: string; readonly ms: number }
): Promise<void> => {
  const trips = all.at(from).scope.resolve(RoundTrips)
  await until('the last ones are over', () => trips.asking === 0)
  const { gate } = all.at(far.slow)
  gate.hold()
  all.advance(POLL_INTERVAL_MS)
  await until('the others have answered', () => trips.asking === 1)
  all.advance(far.ms)
  gate.pass()
  // Requests of others too, such as probes, which would be late at the next advance.
  await until('all have answered', () => trips.asking === 0 && gate.awaited === 0)
}
