// EventSource and WebSocket of a browser, in a page of another origin.
import { createServer, type Server } from 'node:http'
import { connect, createServer as createTcpServer, type Server as TcpServer, type Socket } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import type { Page } from 'playwright-core'
import { newPage } from '../../support/browser.js'
import type { Scope } from '../../support/process.js'
import { ROOT, type TestServer } from '../../support/server.js'
import { until } from '../../support/wait.js'
import { commit, event, read, streamServer } from './streams.js'

const EMPTY_PAGE = '<!doctype html><title>reader</title>'

/** Returns a free port, which stays reserved until the test ends. */
const listen = async (t: Scope, server: Server | TcpServer): Promise<number> => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void server.close())
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

/** Opens a page of its own server; undefined if there is no browser. */
const openPage = async (t: ExecutionContext): Promise<Page | undefined> => {
  const page = await newPage(t)
  if (!page) return undefined
  const port = await listen(
    t,
    createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end(EMPTY_PAGE))
  )
  await page.goto(`http://127.0.0.1:${port}/`)
  return page
}

/** A proxy that can be cut like a failing network. */
const openWay = async (t: Scope, { port }: TestServer): Promise<{ port: number; cut(): void }> => {
  const sockets = new Set<Socket>()
  const way = createTcpServer(inner => {
    const outer = connect(port, '127.0.0.1')
    for (const socket of [inner, outer]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    inner.pipe(outer).pipe(inner)
  })
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  t.teardown(cut)
  return { port: await listen(t, way), cut }
}

const origins = (allowed: readonly string[]) => ({ config: { http: { allowed_origins: allowed } } })

test('EventSource of a page gets the messages, and resumes by itself after a broken connection', async t => {
  const page = await openPage(t)
  if (!page) return
  const server = await streamServer(t, origins([new URL(page.url()).origin]))
  const way = await openWay(t, server)
  const from = server.app.views.index + 1
  const plain = await read(t, server, `topic=KV&index=${from}`)
  const url = `http://127.0.0.1:${way.port}/v1/event/stream?topic=KV&index=${from}&token=${ROOT}`
  await page.evaluate(`
    window.seen = []
    window.opened = 0
    window.events = new EventSource(${JSON.stringify(url)})
    events.onopen = () => opened++
    events.onmessage = ({ data, lastEventId }) => data === '{}' || seen.push([lastEventId, data])
  `)
  const seen = (count: number): Promise<unknown> =>
    until(`${count} messages`, async () => {
      const all: unknown = await page.evaluate('seen')
      return Array.isArray(all) && all.length >= count ? all : undefined
    })
  commit(server, event('KV', 'a'))
  commit(server, event('KV', 'b'))
  await seen(2)
  way.cut()
  commit(server, event('KV', 'while it is cut'))
  const last = commit(server, event('KV', 'd'))
  await plain.upTo(last)
  const messages = plain.lines.filter(line => line !== '{}')
  t.deepEqual(
    await seen(4),
    messages.map((line, i) => [String(from + i), line])
  )
  t.is(await page.evaluate('opened'), 2)
})

test('EventSource of a page whose origin is not allowed gets nothing', async t => {
  const page = await openPage(t)
  if (!page) return
  const server = await streamServer(t)
  const url = `${server.base}/v1/event/stream?index=1&token=${ROOT}`
  const outcome = await page.evaluate(`new Promise(resolve => {
    const events = new EventSource(${JSON.stringify(url)})
    events.onopen = () => resolve('open')
    events.onmessage = () => resolve('message')
    events.onerror = () => resolve('error')
  })`)
  t.is(outcome, 'error')
})

test('a WebSocket of a page says its token in the first message', async t => {
  const page = await openPage(t)
  if (!page) return
  const server = await streamServer(t, origins([new URL(page.url()).origin]))
  const from = server.app.views.index + 1
  const plain = await read(t, server, `topic=KV&index=${from}`)
  const messages = [{ Token: ROOT }, { Subscribe: { ID: 'keys', Topics: ['KV'], Index: from } }]
  await page.evaluate(`
    window.texts = []
    window.socket = new WebSocket('ws://127.0.0.1:${server.port}/v1/event/stream', 'annals.v1')
    socket.onopen = () => ${JSON.stringify(messages)}.forEach(message => socket.send(JSON.stringify(message)))
    socket.onmessage = ({ data }) => texts.push(data)
  `)
  const index = commit(server, event('KV', 'a'))
  await plain.upTo(index)
  const texts = await until('the message', async () => {
    const all: unknown = await page.evaluate('texts')
    return Array.isArray(all) && all.length >= 2 ? all : undefined
  })
  t.deepEqual(texts, ['{"ID":"keys"}', `{"ID":"keys",${plain.lines.at(-1)?.slice(1)}`])
  t.is(await page.evaluate('socket.protocol'), 'annals.v1')
})
