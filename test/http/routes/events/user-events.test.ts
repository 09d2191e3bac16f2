import test from 'ava'
import { serverInProcess } from '../../../support/server.js'
import { until } from '../../../support/wait.js'

test('filters of an event are regular expressions, and a tag stands with a service', async t => {
  const server = await serverInProcess(t)
  const fire = async (query: string): Promise<readonly [number, string]> => {
    const { status, text } = await server.send('PUT', `/v1/event/fire/deploy${query}`)
    return [status, text]
  }
  t.is((await fire('?node=^web-\\d&service=api&tag=v1'))[0], 200)
  t.is((await fire('?node=&service=&tag='))[0], 200)
  for (const [kind, query] of [
    ['node', '?node=('],
    ['service', '?service=['],
    ['tag', '?service=api&tag=*']
  ] as const) {
    const [status, text] = await fire(query)
    t.is(status, 400)
    t.regex(text, new RegExp(`^Invalid ${kind} filter`))
  }
  t.deepEqual(await fire('?tag=v1'), [
    400,
    'Cannot provide tag filter without service filter: parameter "service" is missing'
  ])
  const { text } = await server.send('GET', '/v1/event/list')
  t.is(JSON.parse(text).length, 2)
})

test('the index of the list is the one clients compute of the newest event, and a blocking query waits until it differs', async t => {
  const server = await serverInProcess(t)
  const fire = async (name: string): Promise<string> =>
    JSON.parse((await server.send('PUT', `/v1/event/fire/${name}`)).text).ID
  const list = (query: string) => server.send('GET', `/v1/event/list${query}`)
  const index = async (query = ''): Promise<unknown> => (await list(query)).headers['x-service-index']
  t.is(await index(), '1')

  const ids = [await fire('deploy'), await fire('deploy'), await fire('other')]
  // As Go's client does: the first and the last eight bytes of the ID as numbers, XOR.
  const indexes = ids.map(id => {
    const bytes = Buffer.from(id.replaceAll('-', ''), 'hex')
    return String(bytes.readBigUInt64BE(0) ^ bytes.readBigUInt64BE(8))
  })
  t.is(await index(), indexes[2])
  t.is(await index('?name=deploy'), indexes[1])
  t.is(await index(`?name=deploy&index=${indexes[0]}&wait=10m`), indexes[1], 'another event is the newest')
  t.is(await index(`?index=${indexes[2]}&wait=1ms`), indexes[2])

  const before = server.app.views.watch.size
  let isAnswered = false
  const waiting = list(`?name=deploy&index=${indexes[1]}&wait=10m`).finally(() => (isAnswered = true))
  await until('the read waits', () => server.app.views.watch.size > before)
  await fire('other')
  t.false(isAnswered)
  const last = await fire('deploy')
  t.is(JSON.parse((await waiting).text).at(-1).ID, last)
})
