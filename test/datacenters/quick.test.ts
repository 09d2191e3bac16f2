// Three datacenters as processes on one machine, with gates in place of a network: responses while one of them is silent, gone or far
// away, and what all of them have afterwards. `npm run test:datacenters` has machines of their own, and more.
import test, { type ExecutionContext } from 'ava'
import { fileScope } from '../support/file-scope.js'
import { until } from '../support/wait.js'
import { assertCopied, assertNoDuplicates } from './copies.js'
import { loopbackDatacenters, startAll, type SlowDatacenters } from './datacenters.js'
import { startGlobalWriters } from './global-writers.js'
import { assertInTime, prepare, queriesBy } from './requests.js'

const scope = fileScope(test, 'the datacenters')
let begun: Promise<SlowDatacenters> | undefined

const begin = async (): Promise<SlowDatacenters> => {
  const made = await loopbackDatacenters(scope)
  await startAll(made)
  await prepare(made)
  return made
}

const datacenters = (): Promise<SlowDatacenters> => (begun ??= begin())

/** Does something to datacenters that are all there; they are so again afterwards. */
const during = async (
  t: ExecutionContext,
  fault: (made: SlowDatacenters) => Promise<void>
): Promise<void> => {
  const made = await datacenters()
  try {
    await fault(made)
  } catch (error) {
    for (const { server } of made.all) t.log(server.name, server.log().slice(-3000))
    throw error
  } finally {
    for (const { name, server } of made.all) {
      made.reconnect(name)
      if (server.ended() !== undefined) server.start()
    }
    for (const { server } of made.all) await server.ready()
  }
}

test.serial('a query skips a silent datacenter', async t => {
  await during(t, async made => {
    made.cutOff('dc2')
    await assertInTime(t, made, queriesBy({ asked: 'dc1', gone: 'dc2' }))
  })
})

test.serial('a query skips a datacenter whose server was killed', async t => {
  await during(t, async made => {
    await made.at('dc2').server.kill()
    await assertInTime(t, made, queriesBy({ asked: 'dc1', gone: 'dc2' }))
  })
})

test.serial('a token that ended while a datacenter was cut off ends there too', async t => {
  await during(t, async made => {
    const [primary, secondary] = [made.at('dc1').server, made.at('dc2').server]
    const made1 = await primary.send('PUT', '/v1/acl/token', { body: { Description: 'ends' } })
    const { AccessorID, SecretID }: { readonly AccessorID: string; readonly SecretID: string } = JSON.parse(
      made1.text
    )
    const status = async (): Promise<number> =>
      (await secondary.send('GET', '/v1/acl/token/self', { token: SecretID })).status
    await until('the secondary has the token', async () => (await status()) === 200)
    made.cutOff('dc2')
    t.is((await primary.send('DELETE', `/v1/acl/token/${AccessorID}`)).status, 200)
    t.is(await status(), 200)
    made.reconnect('dc2')
    const healed = performance.now()
    await until('the token has ended', async () => (await status()) === 403)
    t.log(`${Math.round(performance.now() - healed)} ms after the link was there again`)
  })
})

test.serial('what is written through cuts and kills is everywhere once', async t => {
  const seed = Date.now() % 2 ** 32
  await during(t, async made => {
    const writers = startGlobalWriters({ seed, bases: () => [made.at('dc1').server.base] })
    try {
      await writers.acknowledges(10)
      for (const name of ['dc2', 'dc1']) {
        made.cutOff(name)
        await writers.acknowledges(20)
        made.reconnect(name)
        await writers.acknowledges(5)
        const { server } = made.at(name)
        await server.kill()
        if (name !== 'dc1') await writers.acknowledges(5)
        server.start()
        await server.ready()
        await writers.acknowledges(5)
      }
    } finally {
      await writers.stop()
      t.log(`seed ${seed}, ${JSON.stringify(writers.counts)}, slowest ${Math.round(writers.slowest.ms)} ms`)
      t.log(writers.slowest.what)
    }
    await t.notThrowsAsync(assertCopied(made, writers.resources))
  })
})

test.serial('no datacenter received anything twice', async t => {
  const made = await datacenters()
  await Promise.all(made.all.map(({ server }) => server.stop()))
  for (const { server } of made.all)
    await t.notThrowsAsync(async () => t.log(`${await assertNoDuplicates(server)} events of ${server.name}`))
})
