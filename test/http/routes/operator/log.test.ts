// The log as it lies on the disk, for operators.
import test from 'ava'
import { SegmentEventLog } from '../../../../events/log/segments/segment-event-log.js'
import { temporaryFolder } from '../../../support/process.js'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { until } from '../../../support/wait.js'

interface Shown {
  readonly FirstIndex: number
  readonly CommitIndex: number
  readonly DurableIndex: number
  readonly Segments: readonly {
    readonly FirstIndex: number
    readonly LastIndex: number
    readonly Bytes?: number
    readonly State: string
  }[]
}

const shownOf = async (server: TestServer): Promise<Shown> =>
  JSON.parse((await server.send('GET', '/v1/operator/log')).text)

test('segments are listed with their contents, from the oldest commit to the newest', async t => {
  const log = await SegmentEventLog.open({
    path: temporaryFolder(t),
    segmentBytes: 1024 * 1024,
    compress: true
  })
  const server = await serverInProcess(t, { log })
  for (const at of [1, 2, 3, 4, 5, 6])
    t.is((await server.send('PUT', `/v1/kv/large/${at}`, { body: 'x'.repeat(400_000) })).status, 200)
  await until('a segment is compressed', async () =>
    (await shownOf(server)).Segments.some(({ State }) => State === 'compressed')
  )
  const { FirstIndex, CommitIndex, DurableIndex, Segments } = await shownOf(server)
  t.deepEqual([FirstIndex, DurableIndex], [1, CommitIndex])
  t.is(Segments[0]?.FirstIndex, 1)
  t.like(Segments.at(-1), { LastIndex: DurableIndex, State: 'writing', Bytes: undefined })
  for (const [at, { LastIndex, Bytes = 0 }] of Segments.slice(0, -1).entries()) {
    t.is(Segments[at + 1]?.FirstIndex, LastIndex + 1)
    t.true(Bytes > 0)
  }
})

test('the log is for operators', async t => {
  const server = await serverInProcess(t)
  const refused = await server.send('GET', '/v1/operator/log', { token: undefined })
  t.is(refused.status, 403)
  t.regex(refused.text, /operator:read/)
  t.is((await server.send('GET', '/v1/operator/log?segment=1')).status, 400)
})
