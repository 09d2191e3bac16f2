// Keys and entries, as the pages show and change them.
import test from 'ava'
import { barriers, show } from '../../support/shown-page.js'
import { ROOT } from '../../support/server.js'

test('a key that somebody else changed meanwhile is not written over', async t => {
  const shown = await show(t, '/ui/enter', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await server.send('PUT', '/v1/kv/web/port?flags=7', { body: '8080' })
  await page.goto(`${server.base}/ui/keys/one?key=web/port&ns=default&partition=default`)
  const value = page.getByLabel('Value', { exact: true })
  await value.fill('8081')
  await server.send('PUT', '/v1/kv/web/port?flags=7', { body: '9090' })
  const conflict = page.getByRole('group', { name: 'Conflict' })
  t.regex(await conflict.innerText(), /9090[^]*8081/)
  t.true(await page.getByRole('button', { name: 'Save' }).isDisabled())
  t.deepEqual(await barriers(page), [])
  await conflict.getByRole('button', { name: 'Keep yours' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('"Value": "ODA4MQ=="').first().waitFor()
  const [entry] = JSON.parse((await server.send('GET', '/v1/kv/web/port')).text)
  t.is(entry.Flags, 7)
  t.deepEqual(complaints, [])
})

test('a key whose flags a page cannot keep exactly is not edited there', async t => {
  const shown = await show(t, '/ui/enter', ROOT)
  if (!shown) return
  const { page, server } = shown
  await server.send('PUT', '/v1/kv/lock?flags=3304740253564472344', { body: 'x' })
  await page.goto(`${server.base}/ui/keys/one?key=lock&ns=default&partition=default`)
  await page.getByText('Its flags are greater than pages count').waitFor()
  t.is(await page.getByRole('button', { name: 'Save' }).count(), 0)
})

test('an entry is tried before it is stored, with the chains before and after', async t => {
  const shown = await show(t, '/ui/enter', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  for (const Name of ['web', 'next'])
    await server.send('PUT', '/v1/config', { body: { Kind: 'service-defaults', Name, Protocol: 'http' } })
  const splitter = (weight: number) => ({
    Kind: 'service-splitter',
    Name: 'web',
    Splits: [
      { Weight: weight, Service: 'web' },
      { Weight: 100 - weight, Service: 'next' }
    ]
  })
  await server.send('PUT', '/v1/config', { body: splitter(90) })
  await page.goto(`${server.base}/ui/config/one?key=service-splitter/web&ns=default&partition=default`)
  await page.getByLabel('Entry').fill(JSON.stringify(splitter(60)))
  await page.getByRole('button', { name: 'Try' }).click()
  t.regex(await page.getByRole('group', { name: 'web before' }).innerHTML(), /90 %/)
  t.regex(await page.getByRole('group', { name: 'web after' }).innerHTML(), /60 %/)
  t.deepEqual(await barriers(page), [])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('main > .payload', { hasText: '60' }).waitFor()
  t.deepEqual(complaints, [])
})
