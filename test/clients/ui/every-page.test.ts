// Every place of the pages, as somebody with all rights sees it, somebody with few, and somebody with none: in both
// schemes, wide and narrow, it is accessible, it logs no errors, and it names missing permissions.
import test, { type ExecutionContext } from 'ava'
import type { Page, Request } from 'playwright-core'
import { barriers, waitForText, signInTo, show } from '../../support/browser-page.js'
import { ROOT, type TestServer } from '../../support/server.js'

const LIMITED = '0b6d7b9c-6c0b-4c5e-9a43-8d6a1c1d5a11'
const WIDE = { width: 1280, height: 800 }
const NARROW = { width: 390, height: 844 }

/** What is not refused to those without any right: they see no events there, and a 403 is theirs to paste. */
const OPEN = ['/ui/events', '/ui/explain']

/** Something of every kind. */
const fill = async (server: TestServer): Promise<void> => {
  const put = async (path: string, body: unknown): Promise<void> => {
    const { status, text } = await server.send('PUT', `/v1/${path}`, { body })
    if (status !== 200) throw new Error(`${path} was answered ${status} ${text}`)
  }
  await put('acl/policy', { Name: 'keys', Rules: 'key_prefix "" { policy = "read" }' })
  await put('acl/token', { SecretID: LIMITED, Description: 'A reader of keys', Policies: [{ Name: 'keys' }] })
  await put('acl/role', { Name: 'readers', Policies: [{ Name: 'keys' }] })
  await put('kv/app/settings/a-name-that-is-rather-long-for-the-screen-of-a-phone', 'value')
  await put('catalog/register', {
    Node: 'n1',
    Address: '10.0.0.1',
    Service: { ID: 'web-1', Service: 'web', Port: 80, Tags: ['primary', 'v1'] },
    Checks: [{ Name: 'alive', Status: 'critical', ServiceID: 'web-1', Output: 'connection refused' }]
  })
  await put('config', { Kind: 'service-defaults', Name: 'web', Protocol: 'http' })
  await put('session/create', { Node: 'n1', Name: 'lock', Checks: [] })
  await put('namespace', { Name: 'team' })
}

/** Streams, and questions that are answered when something happens. */
const ENDLESS = /\/v1\/(?:event\/stream|agent\/monitor)|[?&]index=/

/** Waits until a page has all that it asked for. */
class Settling {
  readonly #open = new Set<Request>()

  constructor(private readonly page: Page) {
    const end = (request: Request): void => void this.#open.delete(request)
    page.on('request', request => this.#open.add(request))
    page.on('requestfinished', end)
    page.on('requestfailed', end)
  }

  async wait(): Promise<void> {
    const isAsked = (): boolean => [...this.#open].some(request => !ENDLESS.test(request.url()))
    do {
      await this.page.evaluate(
        'new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))'
      )
      await this.page
        .locator('main [role="status"]', { hasText: /^Loading/ })
        .first()
        .waitFor({ state: 'hidden' })
    } while (isAsked())
  }
}

/** Returns what scrolls sideways, apart from tabs, code, diagrams and the matrix. */
const sideways = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`[...document.querySelectorAll('main, main *')]
    .filter(each => each.clientWidth > 0 && each.scrollWidth > each.clientWidth + 1)
    .filter(each => /auto|scroll/.test(getComputedStyle(each).overflowX))
    .filter(each => !each.matches('[role=tablist], .code-editor *, .matrix, pre'))
    .map(each => each.outerHTML.slice(0, 120))`)

/** Looks at a page in all four ways. @returns what it says */
const look = async (t: ExecutionContext, page: Page, settling: Settling, seen: string): Promise<string> => {
  const heading = page.locator('main h1')
  await heading.waitFor()
  await settling.wait()
  for (const size of [WIDE, NARROW]) {
    await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme: 'light' })
    t.deepEqual(await barriers(page), [], `${seen}, ${size.width}`)
    await waitForText(t, () => page.evaluate('document.documentElement.scrollWidth'), size.width, seen)
    if (size === NARROW) t.deepEqual(await sideways(page), [], `${seen} scrolls sideways`)
    await page.emulateMedia({ colorScheme: 'dark' })
    t.deepEqual(await barriers(page, ['color-contrast']), [], `${seen}, ${size.width}, dark`)
  }
  await page.setViewportSize(WIDE)
  t.is(await page.title(), `${await heading.innerText()} · Annals`, seen)
  return page.locator('main').innerText()
}

test('every page can be used by everybody, and says what it may not show', async t => {
  const shown = await show(t, '/ui/sign-in')
  if (!shown) return
  const { page, server, complaints } = shown
  await fill(server)
  const settling = new Settling(page)
  for (const [who, token] of [
    ['none', undefined],
    ['limited', LIMITED],
    ['root', ROOT]
  ] as const) {
    if (token) await signInTo(page, server, token)
    else await page.goto(`${server.base}/ui/`)
    const closed = page.locator('nav#places .areas button[aria-expanded=false]')
    while ((await closed.count()) > 0) await closed.first().click()
    const links = page.locator('nav#places .areas a')
    const paths = await links.evaluateAll(found => found.map(link => link.getAttribute('href') ?? ''))
    t.true(paths.length > 10)
    for (const path of paths) {
      await page.locator(`nav#places .areas a[href="${path}"]`).click()
      await page.waitForURL(server.base + path)
      const text = await look(t, page, settling, `${path}, ${who}`)
      if (who === 'none' && !OPEN.includes(path))
        t.regex(text, /lacks permission '[\w:-]+'|(?:visible to|hidden from) this token/, path)
      if (who !== 'root') continue
      t.notRegex(text, /lacks permission/, path)
      const tabs = page.getByRole('tab')
      for (let at = 1; at < (await tabs.count()); at++) {
        await tabs.nth(at).click()
        await look(t, page, settling, `${path}, tab ${at}`)
      }
      const first = page.locator('main .rows .body a[href*="/one?"]').first()
      if ((await first.count()) === 0) continue
      await first.click()
      await page.waitForURL(url => url.pathname !== path)
      t.notRegex(await look(t, page, settling, `${page.url()}, ${who}`), /lacks permission/, page.url())
    }
  }
  t.deepEqual(
    complaints.filter(text => !text.includes('status of 403')),
    // The server records no denials, and the page of denials says so.
    ['Failed to load resource: the server responded with a status of 400 (Bad Request)']
  )
})
