// The page of events: which of them the server is asked for, from where on, and how many it keeps.
import test from 'ava'
import type { Page } from 'playwright-core'
import { MemoryEventLog } from '../../../events/log/memory.js'
import { newPage } from '../../support/browser.js'
import { ROOT, serverInProcess, type TestServer } from '../../support/server.js'
import { barriers, waitForText, show } from '../../support/browser-page.js'
import { startTcpProxy } from '../../support/tcp-proxy.js'
import { streamServer } from '../../http/stream/streams.js'

const keys = (page: Page): Promise<readonly string[]> =>
  page.locator('.body .row > :nth-child(5)').allInnerTexts()

const choose = async (page: Page, field: string, text: string): Promise<void> => {
  await page.getByLabel(field, { exact: true }).fill(text)
  await page.keyboard.press('Enter')
}

/** Writes keys, so many in a transaction. */
const writeMany = async (server: TestServer, transactions: number): Promise<void> => {
  for (let n = 0; n < transactions; n++) {
    const body = Array.from({ length: 64 }, (_, at) => ({
      KV: { Verb: 'set', Key: `many/${n}-${at}`, Value: '' }
    }))
    await server.send('PUT', '/v1/txn', { body })
  }
}

test('the server filters events, the address contains the filters, and an invalid one is reported beside its field', async t => {
  const shown = await show(t, '/ui/events', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  for (const key of ['web/a', 'web/b', 'top']) await server.send('PUT', `/v1/kv/${key}`, { body: key })
  await server.send('DELETE', '/v1/kv/web/a')
  await page.getByRole('link', { name: 'top' }).waitFor()

  await choose(page, 'Topic', 'KV')
  await page.getByText('4 events', { exact: true }).waitFor()
  await choose(page, 'Key', 'web/')
  await page.getByText('3 events', { exact: true }).waitFor()
  await choose(page, 'Type', 'KVSet')
  await page.getByText('2 events', { exact: true }).waitFor()
  await choose(page, 'Filter', 'Key == "web/b"')
  await page.getByText('1 event', { exact: true }).waitFor()
  await page.reload()
  await page.getByText('1 event', { exact: true }).waitFor()
  t.deepEqual(await keys(page), ['web/b'])
  t.is(new URL(page.url()).searchParams.get('filter'), 'Key == "web/b"')
  t.deepEqual(complaints, [])

  await choose(page, 'Filter', 'Key ==')
  const filter = page.getByLabel('Filter', { exact: true })
  await page.locator('[aria-invalid=true]').waitFor()
  await waitForText(t, () => filter.getAttribute('aria-invalid'), 'true')
  await waitForText(t, () => page.getByRole('alert').innerText(), /expression/)
  t.deepEqual(await barriers(page), [])
  await choose(page, 'Filter', '')
  await choose(page, 'Type', 'KVSett')
  await page.getByText('unknown type "KVSett"').waitFor()
  await choose(page, 'Type', '')
  await choose(page, 'From', 'soon')
  await page.getByText('Enter an index').waitFor()
})

test('events are read from an earlier index or time on, as many as there is room for, and the rest on demand', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const first = Number((await server.send('PUT', '/v1/kv/first', { body: '1' })).headers['x-service-index'])
  await writeMany(server, 320)
  await server.send('PUT', '/v1/kv/last', { body: '1' })
  const all = 320 * 64 + 2
  await page.goto(`${server.base}/ui/events?from=${first}`)
  await page.getByText('The list is full').waitFor()
  await page.getByText('20,000').first().waitFor()
  await page.getByRole('grid').focus()
  await page.keyboard.press('End')
  await page.getByRole('link', { name: 'first', exact: true }).waitFor()
  await page.getByRole('button', { name: /^Continue/ }).click()
  await page.getByRole('button', { name: 'Load the next events' }).click()
  await page.getByText(`${all - 20_000} events. 20,000 older events are no longer on the page.`).waitFor()
  await page.getByRole('grid').focus()
  await page.keyboard.press('Home')
  await waitForText(t, async () => (await keys(page))[0], 'last')

  // Without a start the newest stay, and those that are seen, while the list is held.
  await page.goto(`${server.base}/ui/events?topic=KV&from=1h`)
  await page.getByText('The list is full').waitFor()
  t.deepEqual(complaints, [])
})

test('a disconnected list of events resumes without a gap, and reports a gap of pruned commits', async t => {
  const page = await newPage(t)
  if (!page) return
  // Pruned commits must not remain in memory.
  const server = await streamServer(t, {
    limits: { recentCommits: 2, recentSize: 1_000_000 },
    log: new MemoryEventLog()
  })
  const gate = await startTcpProxy(t, server.port)
  await page.addInitScript(secret => sessionStorage.setItem('annals-token', secret), ROOT)
  const write = (key: string) => server.send('PUT', `/v1/kv/${key}`, { body: key })
  await write('one')
  await page.goto(`http://127.0.0.1:${gate.port}/ui/events?topic=KV`)
  await page.getByRole('link', { name: 'one' }).waitFor()
  await gate.shut()
  await page.getByText('No connection since').waitFor()
  await write('two')
  await write('three')
  await gate.open()
  await page.evaluate('dispatchEvent(new Event("online"))')
  await page.getByRole('link', { name: 'three' }).waitFor()
  await page.getByText('3 events', { exact: true }).waitFor()
  t.deepEqual(await keys(page), ['three', 'two', 'one'])

  await gate.shut()
  await page.getByText('No connection since').waitFor()
  for (const key of ['four', 'five', 'six']) await write(key)
  await server.app.committer.durable()
  await server.app.log.prune(server.app.views.index - 1)
  await gate.open()
  await page.evaluate('dispatchEvent(new Event("online"))')
  await page.getByText(/\. The log no longer has the events between \d+ and \d+\./).waitFor()
  await page.getByRole('link', { name: 'six' }).waitFor()
  t.is((await keys(page)).at(-1), 'one')
})

test('a limited token filters the permitted events, and a page without rights shows none', async t => {
  const page = await newPage(t)
  if (!page) return
  const server = await serverInProcess(t)
  const SecretID = '0b6d7b9c-6c0b-4c5e-9a43-8d6a1c1d5a12'
  await server.send('PUT', '/v1/acl/policy', {
    body: { Name: 'look', Rules: 'key_prefix "web/" { policy = "read" }' }
  })
  await server.send('PUT', '/v1/acl/token', { body: { SecretID, Policies: [{ Name: 'look' }] } })
  for (const key of ['web/a', 'secret']) await server.send('PUT', `/v1/kv/${key}`, { body: key })
  await page.goto(`${server.base}/ui/events`)
  await page.getByText('There are no events').waitFor()
  await enterInPage(page, SecretID)
  await page.goto(`${server.base}/ui/events?topic=KV&key=web/a`)
  await page.getByRole('link', { name: 'web/a' }).waitFor()
  await page.getByText('Author and time require operator:read').waitFor()
  await page.goto(`${server.base}/ui/events?topic=KV`)
  await page.getByText(/^1 event\. Author and time require/).waitFor()
  t.deepEqual(await keys(page), ['web/a'])
  t.deepEqual(await barriers(page), [])
})

const enterInPage = (page: Page, token: string): Promise<void> =>
  page.evaluate(secret => sessionStorage.setItem('annals-token', secret), token)
