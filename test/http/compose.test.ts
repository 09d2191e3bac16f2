import test from 'ava'
import type { InjectionToken } from 'tsyringe'
import { Clock } from '../../actors/clock.js'
import { Committer } from '../../actors/committer.js'
import { Deadlines } from '../../actors/deadlines.js'
import { Ids } from '../../actors/ids.js'
import { Lives } from '../../actors/lives.js'
import { TokenExpiry } from '../../actors/processes/token-expiry.js'
import { ActorSystem } from '../../actors/system.js'
import { MemoryEventLog } from '../../events/log/memory.js'
import { compose } from '../../http/compose.js'
import { Metrics } from '../../http/metrics.js'
import { EVENT_LOG, LOGGER, SETTINGS } from '../../http/ports.js'
import { Views } from '../../projections/views.js'
import { testSettings } from '../support/server.js'

const services: readonly InjectionToken<unknown>[] = [
  ...[SETTINGS, EVENT_LOG, LOGGER],
  ...[Views, Lives, Metrics, Clock, Ids],
  ...[Committer, ActorSystem, Deadlines, TokenExpiry]
]

test('every service is made with all it needs, once for each container', t => {
  const settings = testSettings(t)
  const [one, other] = [compose(settings, new MemoryEventLog()), compose(settings, new MemoryEventLog())]
  for (const service of services) {
    const name = typeof service === 'function' ? service.name : String(service)
    t.truthy(one.resolve(service), name)
    t.is(one.resolve(service), one.resolve(service), name)
    if (service !== SETTINGS) t.not(one.resolve(service), other.resolve(service), name)
  }
})

test('what a container is given in place of a service is what the others get', async t => {
  class Stopped extends Clock {
    override now(): number {
      return 0
    }
  }
  const scope = compose(testSettings(t), new MemoryEventLog())
  scope.registerInstance(Clock, new Stopped())
  const deadlines = scope.resolve(Deadlines)
  t.teardown(() => deadlines.stop())
  const due = new Promise<readonly string[]>(resolve => deadlines.on('test', resolve))
  deadlines.schedule(-1, 'test', 'past')
  deadlines.schedule(1, 'test', 'future')
  t.deepEqual(await due, ['past'])
  t.is(deadlines.size, 1)
})
