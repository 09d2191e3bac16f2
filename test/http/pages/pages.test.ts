// Serving of built pages, and of nothing beside them.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DependencyContainer } from 'tsyringe'
import test, { type ExecutionContext } from 'ava'
import { Pages } from '../../../http/wire/pages.js'
import { temporaryFolder } from '../../support/process.js'
import { serverInProcess } from '../../support/server.js'

const INDEX = '<!doctype html><title>Annals</title>'

/** Starts a server with these pages by path. */
const serverWith = async (t: ExecutionContext, pages: Readonly<Record<string, string>>) => {
  const folder = temporaryFolder(t)
  for (const [path, text] of Object.entries(pages)) {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return serverInProcess(t, { register: scope => void scope.registerInstance(Pages, new Pages(folder)) })
}

test('a page is shown without a token, and is not sent again to who has it', async t => {
  const server = await serverWith(t, { 'docs/index.html': INDEX, 'docs/log.html': 'the log' })
  for (const path of ['/docs', '/docs/', '/docs/index.html']) {
    const { status, text, headers } = await server.send('GET', path, { token: undefined })
    t.is(status, 200, path)
    t.is(text, INDEX, path)
    t.is(headers['content-type'], 'text/html;charset=utf-8')
    t.is(headers['content-security-policy'], "frame-ancestors 'none'")
  }
  const page = await server.send('GET', '/docs/log.html')
  t.is(page.text, 'the log')
  const { etag } = page.headers
  t.is((await server.send('GET', '/docs/log.html', { headers: { 'If-None-Match': etag ?? '' } })).status, 304)
  const head = await server.send('HEAD', '/docs/log.html')
  t.is(head.status, 200)
  t.is(head.headers['content-length'], '7')
})

test('nothing beside the pages is shown', async t => {
  const server = await serverWith(t, { 'docs/index.html': INDEX, 'secret.txt': 'hidden' })
  for (const path of [
    '/docs/../secret.txt',
    '/docs/%2e%2e/secret.txt',
    '/docs/..%2fsecret.txt',
    '/secret.txt'
  ])
    t.notRegex((await server.send('GET', path)).text, /hidden/, path)
  const missing = await server.send('GET', '/docs/missing.html')
  t.is(missing.status, 404)
  t.is(missing.text, 'Not found: no page has this path')
})

test('the root leads browsers to the web UI, and tells others the name of the software', async t => {
  const server = await serverWith(t, { 'ui/index.html': INDEX })
  const headers = { Accept: 'text/html,application/xhtml+xml' }
  const led = await server.send('GET', '/', { token: undefined, headers })
  t.like(led, { status: 302 })
  t.is(led.headers['location'], '/ui/')
  t.like(await server.send('GET', '/', { token: undefined }), { status: 200, text: 'Annals' })
})

test('one page is at all its paths, whatever they ask for', async t => {
  const server = await serverWith(t, { 'ui/index.html': INDEX })
  for (const path of ['/ui/keys', '/ui/keys/one?key=app.json', '/ui/?at=2026-01-31T12:00:00.512Z'])
    t.is((await server.send('GET', path)).status, 200, path)
  t.is((await server.send('GET', '/ui/missing.js?at=1')).status, 404)
})

test('where no pages were built, the answer says what builds them', async t => {
  const never = join(temporaryFolder(t), 'never made')
  const register = (scope: DependencyContainer): void => void scope.registerInstance(Pages, new Pages(never))
  for (const server of [await serverWith(t, {}), await serverInProcess(t, { register })]) {
    const { status, text } = await server.send('GET', '/docs')
    t.is(status, 404)
    t.is(text, 'Not found: these pages are not built; npm run site builds them')
  }
})
