// The server, as a page shows it: what it is, its log, who reads its stream, its configuration, and its snapshots.
import { readFileSync } from 'node:fs'
import test, { type ExecutionContext } from 'ava'
import type { Page } from 'playwright-core'
import { barriers, waitForText, signInTo, show } from '../../support/browser-page.js'
import { secretWith } from '../../http/support.js'
import { ROOT, type TestServer } from '../../support/server.js'

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

const open = async (page: Page, tab: string): Promise<void> => {
  await page.getByRole('tab', { name: tab, exact: true }).click()
}

/** Confirms what a button asks. */
const confirm = async (page: Page, label: string, typed?: string): Promise<void> => {
  const dialog = page.getByRole('dialog')
  if (typed !== undefined) await dialog.getByLabel(`Type ${typed} to confirm`).fill(typed)
  await dialog.getByRole('button', { name: label, exact: true }).click()
  await dialog.waitFor({ state: 'hidden' })
}

test('the server is shown with its cluster, its log and what it measures', async t => {
  const shown = await show(t, '/ui/server', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await region(page, 'This server').getByText('ready', { exact: true }).waitFor()
  await region(page, 'Members').getByRole('row', { name: 'leader alive' }).waitFor()
  t.deepEqual(await barriers(page), [])
  await open(page, 'Log')
  await region(page, 'Segments').getByRole('row', { name: 'writing' }).waitFor()
  await region(page, 'Checkpoint').getByText('The signed note').click()
  const { text } = await server.send('GET', '/v1/event/checkpoint')
  await region(page, 'Checkpoint')
    .getByText(text.split('\n')[2] ?? '', { exact: true })
    .waitFor()
  await server.send('PUT', '/v1/kv/flushed', { body: '1' })
  await page.getByRole('button', { name: 'Refresh' }).click()
  await page.getByRole('img', { name: /99 of 100 within/ }).waitFor()
  t.deepEqual(await barriers(page), [])
  await open(page, 'Configuration')
  await page.getByLabel('Search in settings').fill('initial_management')
  await page.getByRole('row', { name: 'acl.tokens.initial_management [redacted]' }).waitFor()
  await page.getByRole('button', { name: 'Reload' }).click()
  await confirm(page, 'Reload')
  await page.getByText('Configuration reloaded.').waitFor()
  t.deepEqual(await barriers(page), [])
  await open(page, 'Metrics')
  await page.getByLabel('Search in metrics').fill('annals_kv_entries')
  await page.getByRole('row', { name: 'annals_kv_entries 1' }).waitFor()
  t.deepEqual(await barriers(page), [])
  t.deepEqual(complaints, [])
})

test('cursors are shown as soon as they are there, moved, and deleted by their name', async t => {
  const shown = await show(t, '/ui/server?part=streams', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await page.getByText('There are no cursors').waitFor()
  await page.getByRole('row', { name: 'live' }).waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  const made = await server.send('PUT', '/v1/event/cursor/loader', { body: { Topics: ['KV:load/'] } })
  const { Index } = JSON.parse(made.text)
  await page.getByRole('row', { name: `loader KV:load/ ${Index}` }).waitFor()
  await page.getByRole('button', { name: 'Move' }).click()
  await page.getByLabel('Index', { exact: true }).fill('0')
  t.deepEqual(await barriers(page), [])
  await confirm(page, 'Move')
  await page.getByRole('row', { name: 'loader KV:load/ 0' }).waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await confirm(page, 'Delete', 'loader')
  await page.getByText('There are no cursors').waitFor()
  t.is((await server.send('GET', '/v1/event/cursor/loader')).status, 404)
  t.deepEqual(complaints, [])
})

test('units of a consumer group are shown, replayed and dropped', async t => {
  const shown = await show(t, '/ui/server?part=streams', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  const group = { MaxDeliveries: 1, VisibilityTimeout: '1h', OnParked: 'continue' }
  await server.send('PUT', '/v1/event/cursor/jobs', { body: { Topics: ['KV:jobs/'], Group: group } })
  for (const key of ['a', 'b']) await server.send('PUT', `/v1/kv/jobs/${key}`, { body: '1' })
  const received = await server.send('POST', '/v1/event/cursor/jobs/receive?member=m1&limit=2&wait=10s')
  const Receipts = JSON.parse(received.text).map(({ Receipt }: { readonly Receipt: string }) => Receipt)
  await server.send('POST', '/v1/event/cursor/jobs/nack', { body: { Receipts, Reason: 'no disk' } })
  await page.getByRole('button', { name: 'Refresh' }).click()
  const units = region(page, 'Units of jobs')
  const row = (key: string) => units.getByRole('row', { name: `jobs/${key}` })
  await row('a').getByText('parked', { exact: true }).waitFor()
  await row('a').getByText('no disk').waitFor()
  t.deepEqual(await barriers(page), [])
  await row('a').getByRole('button', { name: 'Drop' }).click()
  await confirm(page, 'Drop')
  await row('a').waitFor({ state: 'hidden' })
  await row('b').getByRole('button', { name: 'Replay' }).click()
  await confirm(page, 'Replay')
  await row('b').getByText('parked', { exact: true }).waitFor({ state: 'hidden' })
  t.deepEqual(complaints, [])
})

const keyOf = async (server: TestServer, key: string): Promise<number> =>
  (await server.send('GET', `/v1/kv/${key}`)).status

test('a snapshot is saved as a file, which restores what was then', async t => {
  const shown = await show(t, '/ui/server?part=snapshots', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await server.send('PUT', '/v1/kv/before', { body: '1' })
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save a snapshot' }).click()
  ])
  const path = await file.path()
  t.deepEqual([...readFileSync(path).subarray(0, 2)], [0x1f, 0x8b])
  await server.send('PUT', '/v1/kv/after', { body: '1' })
  await waitForText(t, () => page.getByRole('button', { name: 'Restore' }).isDisabled(), true)
  await page.getByLabel('Snapshot', { exact: true }).setInputFiles(path)
  await page.getByRole('button', { name: 'Restore' }).click()
  t.deepEqual(await barriers(page), [])
  await confirm(page, 'Restore', 'restore')
  t.deepEqual([await keyOf(server, 'before'), await keyOf(server, 'after')], [200, 404])
  t.deepEqual(complaints, [])
})

/** Every part that says so names the right. */
const missing = async (t: ExecutionContext, page: Page, rights: Readonly<Record<string, RegExp>>) => {
  for (const [tab, right] of Object.entries(rights)) {
    await open(page, tab)
    await page.getByRole('alert').first().waitFor()
    await waitForText(t, () => page.getByRole('alert').first().innerText(), right, tab)
    t.deepEqual(await barriers(page), [], tab)
  }
}

test('a token without permission sees the missing permissions of the server page', async t => {
  const shown = await show(t, '/ui/server')
  if (!shown) return
  const { page } = shown
  await region(page, 'This server').getByText('ready', { exact: true }).waitFor()
  await missing(t, page, {
    Overview: /agent:read/,
    Log: /operator:read/,
    Streams: /operator:read/,
    Configuration: /operator:read/,
    Messages: /agent:read/,
    Metrics: /agent:read/
  })
  await open(page, 'Snapshots')
  await page.getByText('Changes require acl:write').waitFor()
  await waitForText(t, () => page.getByRole('button', { name: 'Save a snapshot' }).isDisabled(), true)
})

test('a read-only token sees the permitted data, and its missing write permissions', async t => {
  const shown = await show(t, '/ui/sign-in')
  if (!shown) return
  const { page, server } = shown
  await signInTo(page, server, await secretWith(server, 'looks', 'operator = "read"'))
  await server.send('PUT', '/v1/event/cursor/loader', { body: { Topics: ['KV:load/'] } })
  await page.goto(`${server.base}/ui/server`)
  await region(page, 'Members').getByRole('row', { name: 'leader alive' }).waitFor()
  await waitForText(t, () => region(page, 'This server').getByRole('alert').innerText(), /agent:read/)
  await open(page, 'Log')
  await region(page, 'Segments').getByRole('row', { name: 'writing' }).waitFor()
  await open(page, 'Streams')
  const deletion = page.getByRole('row', { name: 'loader' }).getByRole('button', { name: 'Delete' })
  await page.getByText('Changes require operator:write.').waitFor()
  t.true(await deletion.isDisabled())
  await open(page, 'Configuration')
  const reload = page.getByRole('button', { name: 'Reload' })
  await page.getByText('Changes require agent:write.').waitFor()
  t.true(await reload.isDisabled())
})
