// Profiles and the configuration of a server, for the analysis of slow servers.
import { get } from 'node:http'
import test from 'ava'
import { Profiles } from '../../../../http/routes/agent/profiles.js'
import { serverInProcess } from '../../../support/server.js'
import { until } from '../../../support/wait.js'
import { createToken } from '../../support.js'
import { stillClock } from '../../../server/cluster/datacenters/support.js'

const KEY = Buffer.alloc(32, 7).toString('base64')

test('the configuration is shown with every key, and without its secrets', async t => {
  const server = await serverInProcess(t, {
    config: {
      encryption: { key: KEY },
      tracing: { headers: { authorization: 'hidden' } },
      datacenters: { dc2: { url: 'http://127.0.0.1:1', token: 'hidden' } },
      replication: { key: KEY }
    }
  })
  const { status, text } = await server.send('GET', '/v1/agent/configuration')
  t.is(status, 200)
  const shown = JSON.parse(text)
  t.like(shown, {
    datacenter: 'dc1',
    acl: { default_policy: 'deny', tokens: { initial_management: '[redacted]' } },
    encryption: { key: '[redacted]' },
    tracing: { headers: { authorization: '[redacted]' }, sample_ratio: 1 },
    datacenters: { dc2: { url: 'http://127.0.0.1:1', token: '[redacted]' } },
    log: { level: 'silent' }
  })
  t.deepEqual(Object.keys(shown).toSorted(), Object.keys(server.settings).toSorted())
  for (const secret of [KEY, 'hidden', server.settings.acl.tokens.initial_management ?? ''])
    t.false(text.includes(secret))
})

test('passwords in URLs of the configuration are hidden', async t => {
  const server = await serverInProcess(t, {
    adjust: settings => ({
      ...settings,
      tracing: { ...settings.tracing, service_name: 'http://me:pw@there' }
    })
  })
  const { tracing } = JSON.parse((await server.send('GET', '/v1/agent/configuration')).text)
  t.is(tracing.service_name, 'http://me:[redacted]@there')
})

// In a process there is one profile of a kind at a time.
test.serial(
  'a profile is of the seconds that are asked for, and one of a kind is taken at a time',
  async t => {
    const server = await serverInProcess(t, { clock: stillClock() })
    const { taken } = server.scope.resolve(Profiles)
    const cpu = server.send('GET', '/v1/agent/profile/cpu?seconds=60')
    const heap = server.send('GET', '/v1/agent/profile/heap')
    await until('both are taken', () => taken.size === 2)
    const second = await server.send('GET', '/v1/agent/profile/cpu')
    t.deepEqual([second.status, second.text], [429, 'Another cpu profile is taken just now'])
    server.advance(10_000)
    const { head } = JSON.parse((await heap).text)
    t.is(head.callFrame.functionName, '(root)')
    t.deepEqual([...taken], ['cpu'])
    server.advance(50_000)
    const { nodes, samples } = JSON.parse((await cpu).text)
    t.is(nodes[0].callFrame.functionName, '(root)')
    t.true(samples.length > 0)
    t.is(taken.size, 0)
  }
)

test.serial('a profile ends when its client disconnects, and with the server', async t => {
  const server = await serverInProcess(t, { clock: stillClock() })
  const { taken } = server.scope.resolve(Profiles)
  const headers = { 'X-Service-Token': server.settings.acl.tokens.initial_management ?? '' }
  const request = get(`${server.base}/v1/agent/profile/cpu`, { headers })
  request.on('error', () => {})
  await until('it is taken', () => taken.size === 1)
  request.destroy()
  await until('it has ended', () => taken.size === 0)
  const last = server.send('GET', '/v1/agent/profile/heap')
  await until('another one is taken', () => taken.size === 1)
  await server.close()
  t.is((await last).status, 200)
})

test('seconds must be from 1 to 60, and the permission operator:read is asked for', async t => {
  const server = await serverInProcess(t)
  for (const seconds of ['0', '61', '1.5', 'x']) {
    const { status, text } = await server.send('GET', `/v1/agent/profile/cpu?seconds=${seconds}`)
    t.is(status, 400)
    t.is(text, `seconds must be a whole number from 1 to 60, not "${seconds}"`)
  }
  const { SecretID: token } = await createToken(server)
  for (const path of ['configuration', 'profile/cpu', 'profile/heap']) {
    const { status, text } = await server.send('GET', `/v1/agent/${path}`, { token })
    t.is(status, 403)
    t.regex(text, /lacks permission 'operator:read'/)
  }
})
