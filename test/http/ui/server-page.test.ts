// The server, as a page shows it: who reads its stream, how far behind, and what it measures.
import test from 'ava'
import { barriers, show } from '../../support/shown-page.js'
import { ROOT } from '../../support/server.js'

test('the server is shown with its members, streams, cursors and measures', async t => {
  const shown = await show(t, '/ui/enter', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const cursor = await server.send('PUT', '/v1/event/cursor/loader', { body: { Topics: ['KV:load/'] } })
  t.is(cursor.status, 200)
  await page.goto(`${server.base}/ui/server`)
  await page.getByRole('row', { name: 'loader KV:load/' }).waitFor()
  await page.getByRole('region', { name: 'Members' }).getByText('alive').waitFor()
  await page.getByRole('region', { name: 'Log' }).getByText('Newest commit').waitFor()
  await page.getByLabel('Search in metrics').fill('annals_kv_entries')
  t.is(await page.getByRole('region', { name: 'Metrics' }).getByRole('row').count(), 2)
  t.deepEqual(await barriers(page), [])
  t.deepEqual(complaints, [])
})

test('who may not see the server is told which rights are missing', async t => {
  const shown = await show(t, '/ui/server')
  if (!shown) return
  const { page } = shown
  await page.getByRole('region', { name: 'Streams' }).getByRole('alert').waitFor()
  t.regex(await page.getByRole('region', { name: 'Streams' }).innerText(), /operator:read/)
  await page.getByRole('region', { name: 'Log' }).getByRole('alert').waitFor()
  t.regex(await page.getByRole('region', { name: 'Log' }).innerText(), /agent:read/)
})
