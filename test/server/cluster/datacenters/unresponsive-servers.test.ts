// A link to another datacenter over which nothing comes any more, while its connections stay open.
import test from 'ava'
import { Refusal } from '../../../../actors/refusal.js'
import {
  DatacenterRequests,
  type OutgoingDatacenterRequest
} from '../../../../server/cluster/datacenters/datacenter-requests.js'
import { startDatacenters } from '../../../support/datacenters.js'
import { ROOT, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'

const headers = ['X-Service-Token', ROOT]
const read: OutgoingDatacenterRequest = { method: 'GET', url: '/v1/kv/a', headers, isLong: true }
const write: OutgoingDatacenterRequest = { ...read, method: 'PUT', body: Buffer.from('x'), isLong: false }
const neverAborted = new AbortController().signal

/** How often a server was asked whether it is there. */
const questions = async (server: TestServer): Promise<number> => {
  const { text } = await server.send('GET', '/v1/agent/metrics?format=prometheus')
  const [, count = '0'] = /path="\/v1\/internal\/datacenter",status="200"\} (\d+)/.exec(text) ?? []
  return Number(count)
}

test('what a datacenter does not answer any more is given up, what takes long there is not', async t => {
  const all = await startDatacenters(t, { names: ['dc1', 'dc2'] })
  const [dc1, dc2] = [all.at('dc1'), all.at('dc2')]
  const requests = dc1.scope.resolve(DatacenterRequests)
  const { watch } = dc2.app.views
  const { 'x-service-index': index } = (await dc2.send('GET', '/v1/catalog/nodes')).headers
  const long = { ...read, url: `/v1/catalog/nodes?index=${String(index)}&wait=10m` }
  let ended = 0
  const failure = async (asked: OutgoingDatacenterRequest): Promise<unknown> => {
    const error = await t.throwsAsync(requests.send('dc2', asked, neverAborted), { instanceOf: Refusal })
    ended++
    return error?.kind
  }
  const waiting = failure(long)
  await until('it waits there', () => watch.size > 0)
  const asked = await questions(dc2)
  await until('it was asked three times whether it is there', async () => {
    all.advance(10)
    return (await questions(dc2)) >= asked + 3
  })
  t.is(ended, 0)
  dc2.gate.hold()
  const [broken, unread] = [failure(write), failure(read)]
  await until('all are given up', () => {
    all.advance(100)
    return ended === 3
  })
  t.deepEqual(await Promise.all([waiting, broken, unread]), ['unreachable', 'unknown', 'unreachable'])
  dc2.gate.pass()
  t.is((await requests.send('dc2', { ...read, url: '/v1/kv/none' }, neverAborted)).answer.statusCode, 404)
})
