// How often a primary is asked about tokens while it is away.
import { setImmediate } from 'node:timers/promises'
import test from 'ava'
import { Timers } from '../../../../actors/clock.js'
import { DEFAULT_TENANCY } from '../../../../events/envelope.js'
import { PrimaryTokens } from '../../../../server/cluster/datacenters/primary-tokens.js'
import { RemoteJsonRequests } from '../../../../server/cluster/datacenters/remote-json-requests.js'
import { RemoteTokenCache } from '../../../../server/cluster/datacenters/remote-token-cache.js'
import { UNRESOLVED_TOKENS } from '../../../../projections/acl/resolver.js'
import type { TokenResolution } from '../../../../projections/acl/token-resolution.js'
import { serverInProcess } from '../../../support/server.js'
import { stillClock } from './support.js'

const SECRETS = ['one', 'two', 'three', 'four']
const HOUR = 3_600_000
const STEP = 500

class Primary extends PrimaryTokens {
  asked = 0
  isAway = false

  override async ask(secret: string): Promise<TokenResolution> {
    this.asked++
    // So long is it under way.
    await setImmediate()
    if (this.isAway) throw new Error('unreachable')
    const token = {
      AccessorID: secret,
      SecretID: '' as const,
      Description: '',
      Policies: [],
      Roles: [],
      ServiceIdentities: [],
      NodeIdentities: [],
      Local: false,
      AuthMethod: '',
      CreateTime: '2026-03-01T12:00:00Z',
      Hash: '',
      CreateIndex: 1,
      ModifyIndex: 1
    }
    return { kind: 'token', token, tenancy: DEFAULT_TENANCY, policies: [], roles: [] }
  }
}

test('a primary that is away is asked about tokens once a second, however many wait and for however long', async t => {
  const server = await serverInProcess(t, {
    config: { datacenter: 'dc2', primary_datacenter: 'dc1' },
    clock: stillClock()
  })
  const { scope, settings, app } = server
  const primary = new Primary(settings, scope.resolve(RemoteJsonRequests))
  const timers = scope.resolve(Timers)
  const { logger, views, metrics } = app
  const tokens = new RemoteTokenCache(settings, logger, views, primary, server.clock, timers, metrics)
  for (const secret of SECRETS) await tokens.learn(secret)
  for (const key of [UNRESOLVED_TOKENS, ...SECRETS.map(secret => `token/${secret}`)])
    t.teardown(views.watch.wait([key], () => t.fail('nothing has changed')))
  primary.isAway = true
  primary.asked = 0
  for (let passed = 0; passed < HOUR; passed += STEP) {
    server.advance(STEP)
    void tokens.learn(`unknown ${passed}`)
    // What is under way is answered.
    await setImmediate()
    await setImmediate()
  }
  t.true(primary.asked <= HOUR / 1000, `${primary.asked} questions`)
  t.true(primary.asked >= HOUR / 2000, `${primary.asked} questions`)
})
