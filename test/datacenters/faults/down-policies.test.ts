// A secondary that does not replicate tokens, while the primary is gone for an hour.
import test from 'ava'
import { falseClock } from '../../cluster/faults/false-clock.js'
import type { AnnalsServer } from '../../cluster/annals-server.js'
import { ROOT } from '../../support/server.js'
import { until } from '../../support/wait.js'
import { PRIMARY } from '../datacenters.js'
import { datacenterFaultTest } from './fault-test.js'

const HOUR = 3600

/** What may be done with a token that was used before, and with one that was not: a write that its policy grants, and one that it does not. */
interface Expected {
  readonly known: readonly [granted: number, other: number]
  readonly unknown: readonly [granted: number, other: number]
}

const EXPECTED: Readonly<Record<string, Expected>> = {
  'extend-cache': { known: [200, 403], unknown: [403, 403] },
  'async-cache': { known: [200, 403], unknown: [403, 403] },
  deny: { known: [403, 403], unknown: [403, 403] },
  allow: { known: [200, 200], unknown: [200, 200] }
}

const newToken = async (primary: AnnalsServer): Promise<string> => {
  const { text } = await primary.send('PUT', '/v1/acl/token', { body: { Policies: [{ Name: 'of-a' }] } })
  const { SecretID }: { readonly SecretID: string } = JSON.parse(text)
  return SecretID
}

const mayWrite = async (server: AnnalsServer, token: string): Promise<readonly number[]> => {
  const write = async (key: string): Promise<number> =>
    (await server.send('PUT', `/v1/kv/${key}`, { token, body: 'x' })).status
  return [await write('a'), await write('b')]
}

for (const [policy, { known, unknown }] of Object.entries(EXPECTED))
  test(`down_policy ${policy}: the primary is gone for an hour`, async t => {
    const clock = falseClock(t, true)
    if (!clock) return
    const acl = {
      enabled: true,
      default_policy: 'deny',
      down_policy: policy,
      enable_token_replication: false,
      tokens: { initial_management: ROOT }
    }
    await datacenterFaultTest(
      t,
      {
        config: name => (name === PRIMARY ? {} : { acl }),
        env: name => (name === 'dc2' ? clock.env : {})
      },
      async made => {
        const [primary, secondary] = [made.at(PRIMARY).server, made.at('dc2').server]
        await primary.send('PUT', '/v1/acl/policy', {
          body: { Name: 'of-a', Rules: 'key "a" { policy = "write" }' }
        })
        const [used, unused] = [await newToken(primary), await newToken(primary)]
        t.deepEqual(await mayWrite(secondary, used), [200, 403])
        await primary.kill()
        clock.differBy(HOUR)
        // Connections that are kept have been idle for an hour, too.
        await secondary.ready()
        await until('it finds out', async () => {
          const [granted] = await mayWrite(secondary, unused)
          return granted === unknown[0] && (await mayWrite(secondary, used))[0] === known[0]
        })
        t.deepEqual(await mayWrite(secondary, used), known)
        t.deepEqual(await mayWrite(secondary, unused), unknown)
        primary.start()
        await primary.ready()
        for (const token of [used, unused])
          await until('the earlier permissions apply again', async () => {
            const [granted, other] = await mayWrite(secondary, token)
            return granted === 200 && other === 403
          })
        t.pass()
      }
    )
  })
