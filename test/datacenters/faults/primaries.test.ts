// A primary datacenter that is not what it was: set back, restored, or another one.
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { AnnalsServer } from '../../cluster/annals-server.js'
import { temporaryFolder } from '../../support/process.js'
import { ROOT } from '../../support/server.js'
import { until } from '../../support/wait.js'
import { assertCopied } from '../copies.js'
import { PRIMARY, type Datacenters } from '../datacenters.js'
import { datacenterFaultTest } from './fault-test.js'

interface MadeToken {
  readonly AccessorID: string
  readonly SecretID: string
}

const newToken = async (server: AnnalsServer, more: object = {}): Promise<MadeToken> => {
  const { status, text } = await server.send('PUT', '/v1/acl/token', { body: more })
  if (status !== 200) throw new Error(`a token was answered ${status} ${text}`)
  const token: MadeToken = JSON.parse(text)
  return token
}

const known = async (server: AnnalsServer, { SecretID: token }: MadeToken): Promise<boolean> =>
  (await server.send('GET', '/v1/acl/token/self', { token })).status === 200

/**
 * Has tokens made before and after a state of the primary to which it then returns, while dc3 is cut off. Those of after end everywhere;
 * local ones stay.
 * @param keep keeps the state, and resolves with what returns to it
 */
const returning = async (
  made: Datacenters,
  keep: (primary: AnnalsServer) => Promise<() => Promise<void>>,
  laterTokens: number
): Promise<void> => {
  const [primary, near, cut] = [made.at(PRIMARY).server, made.at('dc2').server, made.at('dc3').server]
  const before = await newToken(primary)
  const local = await newToken(near, { Local: true })
  await until('the first token is everywhere', async () => (await known(near, before)) && known(cut, before))
  const giveBack = await keep(primary)
  const after = await newToken(primary)
  await until('the second token is everywhere', async () => (await known(near, after)) && known(cut, after))
  made.cutOff('dc3')
  await giveBack()
  for (let count = 0; count < laterTokens; count++) await newToken(primary)
  made.reconnect('dc3')
  for (const server of [near, cut])
    await until(`${server.name} no longer knows it`, async () => !(await known(server, after)))
  await assertCopied(made, [])
  if (!(await known(near, local)) || !(await known(near, before)))
    throw new Error('more has ended than should have')
}

test('a snapshot is restored into the primary', async t => {
  await datacenterFaultTest(t, {}, async made => {
    await returning(
      made,
      async primary => {
        const url = `${primary.base}/v1/snapshot`
        const headers = { 'X-Service-Token': ROOT }
        const saved = await (await fetch(url, { headers })).arrayBuffer()
        return async () => {
          const { status } = await fetch(url, { method: 'PUT', headers, body: saved })
          t.is(status, 200)
          await primary.ready()
        }
      },
      3
    )
  })
})

/** @param laterTokens made in the primary after that, before dc3 asks it again */
const fromOlderFolder = async (t: ExecutionContext, laterTokens: number): Promise<void> => {
  await datacenterFaultTest(t, {}, async made => {
    await returning(
      made,
      async primary => {
        const copy = join(temporaryFolder(t), 'copy')
        await primary.stop()
        cpSync(primary.dataDir, copy, { recursive: true })
        primary.start()
        await primary.ready()
        return async () => {
          await primary.kill()
          rmSync(primary.dataDir, { recursive: true })
          cpSync(copy, primary.dataDir, { recursive: true })
          primary.start()
          await primary.ready()
        }
      },
      laterTokens
    )
    t.pass()
  })
}

test('the primary is started from its older folder', t => fromOlderFolder(t, 0))
test('its log has come past what a secondary has before that asks again', t => fromOlderFolder(t, 50))

test('another primary comes in the place of the first', async t => {
  await datacenterFaultTest(t, {}, async made => {
    const [primary, secondary] = [made.at(PRIMARY).server, made.at('dc2').server]
    const [old, local] = [await newToken(primary), await newToken(secondary, { Local: true })]
    await until('the token is there', () => known(secondary, old))
    await primary.stop()
    rmSync(primary.dataDir, { recursive: true })
    primary.start()
    await primary.ready()
    const next = await newToken(primary)
    await until('that of the other one is there', () => known(secondary, next))
    t.false(await known(secondary, old))
    t.true(await known(secondary, local))
    await assertCopied(made, [])
  })
})
