// The frame of the pages: keys, the menu of a phone, headings, and dialogs.
import test from 'ava'
import { barriers, waitForText, show } from '../../support/browser-page.js'
import { ROOT } from '../../support/server.js'

test('everything is reached by keys: places, names, and what keys there are', async t => {
  const shown = await show(t, '/ui/events', ROOT)
  if (!shown) return
  const { page, server, complaints } = shown
  await server.send('PUT', '/v1/acl/policy', { body: { Name: 'web', Rules: '' } })
  for (const ID of ['web-1', 'web-2'])
    await server.send('PUT', '/v1/catalog/register', {
      body: { Node: 'n1', Address: '10.0.0.1', Service: { ID, Service: 'web' } }
    })
  await server.send('PUT', '/v1/config', { body: { Kind: 'service-defaults', Name: 'web' } })
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
  t.is(await page.title(), 'Events · Annals')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  t.is(
    await page.evaluate('document.activeElement.textContent'),
    'Events',
    'the first link leads past the places'
  )

  await page.keyboard.press('g')
  await page.keyboard.press('p')
  const heading = page.getByRole('heading', { level: 1, name: 'Policies' })
  await heading.waitFor()
  t.is(await page.title(), 'Policies · Annals')
  t.is(
    await page.evaluate('document.activeElement.textContent'),
    'Policies',
    'who comes is led to the heading'
  )

  await page.keyboard.press('?')
  const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await keys.getByText('Search this page').waitFor()
  t.deepEqual(await barriers(page), [])
  await keys.getByLabel('Use single-letter shortcuts').uncheck()
  await page.keyboard.press('Escape')
  await keys.waitFor({ state: 'hidden' })
  await page.keyboard.press('.')
  await waitForText(t, () => page.getByRole('dialog').count(), 0, 'keys are turned off')

  await page.keyboard.press('Control+k')
  const asked = page.getByRole('combobox', { name: 'Page or name' })
  await asked.fill('tok')
  t.deepEqual(await barriers(page), [])
  await page.locator('[role=option][data-highlighted]', { hasText: 'Tokens' }).waitFor()
  await asked.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Tokens' }).waitFor()
  await asked.waitFor({ state: 'hidden' })
  await page.keyboard.press('Control+k')
  await asked.fill('we')
  await page.getByRole('option', { name: 'web policy' }).waitFor()
  await page.getByRole('option', { name: 'web instance web-2' }).waitFor()
  t.is(await page.getByRole('option', { name: 'web service', exact: true }).count(), 1)
  await waitForText(
    t,
    async () =>
      (await page.getByRole('option').allInnerTexts()).filter(text => /service|entry/.test(text)).join(),
    /^web\s+service,.*web\s+configuration entry service-defaults,/s
  )
  await page.getByRole('option', { name: 'we in policies' }).click()
  await page.getByRole('link', { name: 'web', exact: true }).waitFor()
  await waitForText(t, () => page.getByLabel('Search in Policies').inputValue(), 'we')
  await page.getByRole('link', { name: 'web', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'web' }).waitFor()
  await page.keyboard.press('Control+k')
  await asked.waitFor()
  await waitForText(t, () => page.getByRole('option').first().innerText(), /^web\s+policy$/)
  await asked.fill('travel to 0s ago')
  await page.getByRole('option', { name: /^Travel to 0s ago/ }).click()
  await page.getByText('State after commit').waitFor()
  await page.keyboard.press('Control+k')
  await asked.waitFor()
  await page.keyboard.press('Escape')
  await asked.waitFor({ state: 'hidden' })
  t.deepEqual(complaints, [])
})

test('on a phone the places are a menu', async t => {
  const shown = await show(t, '/ui/policies')
  if (!shown) return
  const { page, complaints } = shown
  await page.setViewportSize({ width: 390, height: 844 })
  const link = page.getByRole('link', { name: 'Roles' })
  const menu = page.getByRole('button', { name: 'Menu' })
  await waitForText(t, () => link.isVisible(), false)
  await menu.click()
  await waitForText(t, () => menu.getAttribute('aria-expanded'), 'true')
  t.deepEqual(await barriers(page), [])
  await page.keyboard.press('Escape')
  await waitForText(t, () => link.isVisible(), false)
  await menu.click()
  await link.click()
  await page.getByRole('heading', { level: 1, name: 'Roles' }).waitFor()
  await waitForText(t, () => link.isVisible(), false)
  await waitForText(
    t,
    () => page.evaluate('document.documentElement.scrollWidth'),
    390,
    'nothing is wider than the screen'
  )
  t.deepEqual(
    complaints,
    complaints.filter(text => text.includes('403'))
  )
})
