// Namespaces and partitions in the pages: made, edited and deleted, and chosen for what other pages show.
import test from 'ava'
import { barriers, waitForText, signInTo, show, goTo } from '../../support/browser-page.js'
import { ROOT } from '../../support/server.js'
import { createPolicy, secretWith } from '../../http/support.js'

test('a namespace is made with defaults, edited, and deleted by its name', async t => {
  const shown = await show(t, '/ui/namespaces', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await createPolicy(server, 'reads-all', 'key_prefix "" { policy = "read" }')
  await page.getByRole('link', { name: 'Create namespace' }).click()
  await page.getByRole('textbox', { name: /^Name/ }).fill('team-a')
  await page.getByRole('combobox', { name: 'Add policy' }).fill('reads')
  await page.getByRole('option', { name: 'reads-all' }).click()
  await page.getByLabel('Metadata').fill('owner = a')
  t.deepEqual(await barriers(page), [])
  await page.getByRole('button', { name: 'Create namespace' }).click()
  await page.getByRole('heading', { level: 1, name: 'team-a' }).waitFor()
  const read = async () => JSON.parse((await server.send('GET', '/v1/namespace/team-a')).text)
  t.like(await read(), { Meta: { owner: 'a' } })
  await page.getByLabel('Description').fill('Of team A')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.locator('dd', { hasText: 'Of team A' }).waitFor()
  const { ACLs, Meta } = await read()
  t.is(ACLs.PolicyDefaults[0].Name, 'reads-all')
  t.deepEqual(Meta, { owner: 'a' })
  t.deepEqual(await barriers(page), [])
  await page.route('**/v1/namespace/team-a*', async route => {
    const answer = await route.fetch()
    await route.fulfill({ json: { ...(await answer.json()), DeletedAt: '2026-01-01T00:00:00Z' } })
  })
  await page.reload()
  await page.getByText('Its deletion began').waitFor()
  await waitForText(t, () => page.getByRole('button', { name: 'Save' }).count(), 0)
  await page.unrouteAll({ behavior: 'wait' })
  await page.reload()
  await page.getByRole('button', { name: 'Delete namespace' }).click()
  await page.getByLabel('Type team-a to confirm').fill('team-a')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete namespace' }).click()
  await page.getByText('Deleted in commit').waitFor()
  t.is((await server.send('GET', '/v1/namespace/team-a')).status, 404)
  t.deepEqual(
    complaints.filter(text => !text.includes('404')),
    []
  )
})

test('lists show what is in the namespace and partition that are chosen, on each page', async t => {
  const shown = await show(t, '/ui/partitions', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await page.getByRole('link', { name: 'Create partition' }).click()
  await page.getByRole('textbox', { name: /^Name/ }).fill('east')
  await page.getByRole('button', { name: 'Create partition' }).click()
  await page.getByRole('heading', { level: 1, name: 'east' }).waitFor()
  t.deepEqual(await barriers(page), [])
  for (const name of ['team-a', 'team-b']) {
    await server.send('PUT', '/v1/namespace', { body: { Name: name } })
    await server.send('PUT', `/v1/kv/of-${name}?ns=${name}`, { body: '1' })
  }
  await server.send('PUT', '/v1/kv/of-east?partition=east', { body: '1' })
  await page.goto(`${server.base}/ui/keys?ns=team-a`)
  await page.getByRole('link', { name: 'of-team-a' }).waitFor()
  await waitForText(t, () => page.getByRole('link', { name: 'of-team-b' }).count(), 0)
  await page.getByRole('combobox', { name: 'Namespace' }).selectOption('team-b')
  await page.getByRole('link', { name: 'of-team-b' }).waitFor()
  await waitForText(t, () => page.getByRole('link', { name: 'of-team-a' }).count(), 0)
  t.regex(page.url(), /ns=team-b/)
  await goTo(page, 'Policies')
  await page.getByRole('link', { name: 'namespace-management' }).waitFor()
  t.regex(page.url(), /policies\?ns=team-b/)
  await goTo(page, 'Tokens')
  await page.getByRole('link', { name: 'Create token' }).click()
  await page.getByLabel('Description').fill('of team-b')
  await page.getByRole('button', { name: 'Create token' }).click()
  await page.getByRole('link', { name: 'Open token' }).click()
  await page.getByRole('heading', { level: 1, name: 'of team-b' }).waitFor()
  await page.getByRole('combobox', { name: 'Partition' }).selectOption('east')
  await goTo(page, 'Keys')
  await page.getByRole('link', { name: 'of-east' }).waitFor()
  await waitForText(t, () => page.getByRole('link', { name: /of-team/ }).count(), 0)
  t.deepEqual(await barriers(page), [])
  t.deepEqual(complaints, [])
})

test('a missing permission to write or list namespaces is reported', async t => {
  const shown = await show(t, '/ui/sign-in')
  if (!shown) return
  const { page, server } = shown
  await server.send('PUT', '/v1/namespace', { body: { Name: 'team-a' } })
  await signInTo(page, server, await secretWith(server, 'looks', 'operator = "read"'))
  await page.goto(`${server.base}/ui/namespaces/one?key=team-a`)
  await page.getByText('Changes require operator:write').waitFor()
  await waitForText(t, () => page.getByLabel('Description').isDisabled(), true)
  const rules = 'namespace "team-a" { policy = "write" }'
  await signInTo(page, server, await secretWith(server, 'writes', `operator = "read" ${rules}`))
  await page.goto(`${server.base}/ui/namespaces/one?key=team-a`)
  await page.getByLabel('Description').fill('Another')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  for (const path of ['/ui/namespaces', '/ui/partitions']) {
    await page.goto(server.base + path)
    await waitForText(t, () => page.getByRole('note').innerText(), /'operator:read' are hidden/, path)
    t.deepEqual(await barriers(page), [], path)
  }
})
