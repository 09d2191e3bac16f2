import test from 'ava'
import type { InjectionToken } from 'tsyringe'
import { Clock, Deadlines } from '../../actors/clock.js'
import { Committer } from '../../actors/committer.js'
import { Ids } from '../../actors/ids.js'
import { ExpirationProcess } from '../../actors/processes/expiration-process.js'
import { ActorSystem } from '../../actors/system.js'
import { MemoryEventLog } from '../../events/log/memory.js'
import { compose } from '../../server/compose.js'
import { Metrics } from '../../server/telemetry/metrics/metrics.js'
import { EVENT_LOG, LOGGER, SETTINGS } from '../../server/settings/ports.js'
import { Views } from '../../projections/read-models.js'
import { LiveSettings } from '../../server/settings/settings.js'
import { SetClock } from '../../library/testing/set-clock.js'
import { testSettings } from '../support/server.js'
import { until } from '../support/wait.js'

const services: readonly (readonly [name: string, token: InjectionToken<unknown>])[] = [
  ['settings', SETTINGS],
  ['log', EVENT_LOG],
  ['logger', LOGGER],
  ['views', Views],
  ['metrics', Metrics],
  ['clock', Clock],
  ['ids', Ids],
  ['committer', Committer],
  ['actor system', ActorSystem],
  ['deadlines', Deadlines],
  ['expiry', ExpirationProcess]
]

test('every service is made with all it needs, once for each container', t => {
  const settings = new LiveSettings(() => testSettings(t))
  const [one, other] = [compose(settings, new MemoryEventLog()), compose(settings, new MemoryEventLog())]
  for (const [name, service] of services) {
    t.truthy(one.resolve(service), name)
    t.is(one.resolve(service), one.resolve(service), name)
    if (service !== SETTINGS) t.not(one.resolve(service), other.resolve(service), name)
  }
})

test('what a container is given in place of a service is what the others get', async t => {
  const scope = compose(new LiveSettings(() => testSettings(t)), new MemoryEventLog())
  scope.registerInstance(Clock, new SetClock({ runs: false }))
  const deadlines = scope.resolve(Deadlines)
  t.teardown(() => deadlines.stop())
  let due: readonly string[] | undefined
  deadlines.on('test', keys => (due = keys))
  deadlines.after(-1, 'test', 'past')
  deadlines.after(1, 'test', 'future')
  t.deepEqual(await until('the deadline is due', () => due), ['past'])
  t.is(deadlines.size, 1)
})
