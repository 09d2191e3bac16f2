// Keys and entries, as the pages show and change them.
import test from 'ava'
import { barriers, show } from '../../support/browser-page.js'
import { ROOT } from '../../support/server.js'

test('an entry is tried before it is stored, with the differences of its chain', async t => {
  const shown = await show(t, '/ui/sign-in', ROOT)
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
  await page.getByRole('button', { name: 'Preview' }).click()
  const changes = page.getByRole('group', { name: 'Changes of the discovery chain of web', exact: true })
  await changes.locator('.edge.changed', { hasText: '90 % → 60 %' }).waitFor()
  t.deepEqual(await barriers(page), [])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  t.deepEqual(complaints, [])
})
