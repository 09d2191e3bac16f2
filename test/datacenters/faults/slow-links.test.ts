// Datacenters that are far from each other: gates on this machine delay what is sent between them.
import test from 'ava'
import { until } from '../../support/wait.js'
import { loopbackDatacenters, PRIMARY, startAll, type Datacenters } from '../datacenters.js'
import { logging, whileWritten } from './fault-test.js'

/** Within which a change at the primary is to be everywhere, in ms. */
const EVERYWHERE_WITHIN = 1000
const ROUNDS = 20

const orderIn = async ({ at }: Datacenters, name: string): Promise<string> => {
  const { text } = await at(name).server.send('GET', '/v1/catalog/datacenters')
  const names: readonly string[] = JSON.parse(text)
  return names.join()
}

test('a link of 100 ms: the nearest datacenter comes first, and changes are everywhere within a second', async t => {
  const made = await loopbackDatacenters(t)
  const { server: primary } = made.at(PRIMARY)
  const { server: secondary } = made.at('dc2')
  await logging(t, made, async () => {
    made.roundTrip('dc1', 'dc2', 100)
    made.roundTrip('dc2', 'dc3', 100)
    await startAll(made)
    await until('dc1 is nearer to dc3', async () => (await orderIn(made, 'dc1')) === 'dc1,dc3,dc2')
    await until('so it is to dc3', async () => (await orderIn(made, 'dc3')) === 'dc3,dc1,dc2')

    const times: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const { text } = await primary.send('PUT', '/v1/acl/token', { body: {} })
      const from = performance.now()
      const { SecretID: token }: { readonly SecretID: string } = JSON.parse(text)
      await until('the token is there', async () => {
        const { status } = await secondary.send('GET', '/v1/acl/token/self', { token })
        return status === 200
      })
      times.push(Math.round(performance.now() - from))
    }
    t.log(`there after ms: ${times.toSorted((a, b) => a - b).join()}`)
    t.true(Math.max(...times) <= EVERYWHERE_WITHIN, times.join())

    made.roundTrip('dc1', 'dc2', 0)
    made.roundTrip('dc1', 'dc3', 100)
    await until('dc2 has come nearer', async () => (await orderIn(made, 'dc1')) === 'dc1,dc2,dc3')
    await whileWritten(t, made, async writers => await writers.acknowledges(100))
  })
})
