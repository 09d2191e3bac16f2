// What all datacenters have of one, through cuts of their links and kills of their servers.
import { setTimeout as pause } from 'node:timers/promises'
import test from 'ava'
import { seeded } from '../../support/random.js'
import { until } from '../../support/wait.js'
import { NAMES, PRIMARY, type Datacenters } from '../datacenters.js'
import { datacenterFaultTest, whileWritten } from './fault-test.js'

/** Within which what has ended must have ended everywhere, once the link is there again, in ms. */
const HEALED_WITHIN = 2000

test('links are cut again and again while policies, roles and tokens are written', async t => {
  await datacenterFaultTest(t, {}, async made => {
    await whileWritten(t, made, async writers => {
      for (const name of [...NAMES, ...NAMES]) {
        made.cutOff(name)
        await writers.acknowledges(10)
        await pause(4000)
        made.reconnect(name)
        await writers.acknowledges(30)
      }
    })
  })
})

test('servers of either side are killed while policies, roles and tokens are written', async t => {
  const random = seeded(Date.now() % 2 ** 32)
  await datacenterFaultTest(t, {}, async made => {
    await whileWritten(
      t,
      made,
      async writers => {
        for (let round = 0; round < 9; round++) {
          const name = NAMES[round % NAMES.length] ?? PRIMARY
          const { server } = made.at(name)
          await pause(random.below(300))
          await server.kill()
          server.start()
          await server.ready()
          await writers.acknowledges(20)
        }
      },
      NAMES
    )
  })
})

test('a link is cut and the primary killed behind it', async t => {
  await datacenterFaultTest(t, {}, async made => {
    await whileWritten(
      t,
      made,
      async writers => {
        for (const name of NAMES.slice(1)) {
          made.cutOff(name)
          await writers.acknowledges(10)
          const { server } = made.at(PRIMARY)
          await server.kill()
          server.start()
          await server.ready()
          made.reconnect(name)
          await writers.acknowledges(20)
        }
      },
      NAMES
    )
  })
})

interface MadeToken {
  readonly AccessorID: string
  readonly SecretID: string
}

const newToken = async ({ at }: Datacenters): Promise<MadeToken> => {
  const { text } = await at(PRIMARY).server.send('PUT', '/v1/acl/token', { body: {} })
  const token: MadeToken = JSON.parse(text)
  return token
}

test('a token that ended while the link was cut ends within two seconds of its return', async t => {
  await datacenterFaultTest(t, {}, async made => {
    const secondary = made.at('dc2').server
    const times: number[] = []
    for (const cut of [200, 1000, 2500, 3500, 5000, 8000, 20_000]) {
      const { AccessorID, SecretID } = await newToken(made)
      const status = async (): Promise<number> =>
        (await secondary.send('GET', '/v1/acl/token/self', { token: SecretID })).status
      await until('the secondary has the token', async () => (await status()) === 200)
      made.cutOff('dc2')
      const { status: ended } = await made.at(PRIMARY).server.send('DELETE', `/v1/acl/token/${AccessorID}`)
      t.is(ended, 200)
      await pause(cut)
      t.is(await status(), 200)
      made.reconnect('dc2')
      const healed = performance.now()
      await until('the token has ended', async () => (await status()) === 403)
      times.push(Math.round(performance.now() - healed))
    }
    t.log(`ms after the link was there again: ${times.join()}`)
    t.true(Math.max(...times) <= HEALED_WITHIN, times.join())
  })
})
