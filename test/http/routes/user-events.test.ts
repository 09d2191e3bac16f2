import test from 'ava'
import { serverInProcess } from '../../support/server.js'

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
