// Flags of keys beyond 2^53-1: numbers in every answer, while the log keeps them as it always has.
import test from 'ava'
import { parse } from 'lossless-json'
import { serverInProcess, type TestServer } from '../../../support/server.js'
import { collect } from '../../../events/commits.js'
import { indexOf } from '../../support.js'

const LARGEST = '18446744073709551615'
const OTHER = '9007199254740993'
/** What looks like flags within a key is none. */
const KEY = 'a/"Flags":"1"'
const PATH = `/v1/kv/${encodeURIComponent(KEY)}`

const written = async (server: TestServer): Promise<{ readonly first: number; readonly last: number }> => {
  const first = indexOf(await server.send('PUT', `${PATH}?flags=${LARGEST}`, { body: 'one' }))
  const last = indexOf(await server.send('PUT', `${PATH}?flags=${OTHER}`, { body: 'two' }))
  return { first, last }
}

test('flags beyond 2^53-1 are numbers in every answer', async t => {
  const server = await serverInProcess(t)
  const { first, last } = await written(server)
  const history = `/v1/event/history?topic=KV&key=${encodeURIComponent(KEY)}`
  const paths = [
    PATH,
    `${PATH}?at=${first}`,
    `/v1/kv/a?recurse`,
    `${PATH}?diff=${first}..${last}`,
    history,
    `${history}&payload=true`,
    `/v1/event/state?topic=KV&at=${first}`,
    `/v1/event/state?topic=KV&at=${last}`,
    `/v1/event/stream?topic=KV&index=1&until=${last}`,
    `/v1/event/stream?topic=KV&snapshot=true&until=${last}`,
    `/v1/event/stream?topic=KV&index=1&until=${last}&filter=${encodeURIComponent('Payload.KV.Flags != 42')}`
  ]
  for (const path of paths) {
    const { status, text } = await server.send('GET', path)
    t.is(status, 200, `${path}: ${text}`)
    const flags = [LARGEST, OTHER].filter(each => text.includes(each))
    t.true(flags.length > 0, `${path}: ${text}`)
    for (const each of flags) t.false(text.includes(`"${each}"`), `${path}: ${text}`)
    const documents = path.includes('/stream') ? text.trim().split('\n') : [text]
    for (const document of documents) t.notThrows(() => parse(document), document)
  }
})

test('the log and its leaves keep flags beyond 2^53-1 as they were stored', async t => {
  const server = await serverInProcess(t)
  const { first } = await written(server)
  const [commit] = await collect(server.app.log.read(first))
  t.like(commit?.Events[0]?.Payload, { KV: { Key: KEY, Flags: LARGEST } })
})
