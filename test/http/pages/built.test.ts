// The built pages of /ui: small, compressed once, cached by browsers, and restricted by their policy.
import test from 'ava'
import { serverInProcess, type TestServer } from '../../support/server.js'

/** Maximum bytes of the initial load of a page. */
const MOST = 150_000
const SMALL = 1000

const get = (server: TestServer, path: string, encoding: string) =>
  server.send('GET', path, { token: undefined, headers: { 'Accept-Encoding': encoding } })

/** Returns the files of the initial load. */
const partsOf = (html: string): readonly string[] =>
  [...html.matchAll(/(?:src|href)="(\/ui\/[^"]+)"/g)].flatMap(([, path]) => path ?? [])

test('the first load is small, and its parts are sent as they were compressed', async t => {
  const server = await serverInProcess(t)
  const index = await get(server, '/ui/', 'identity')
  const parts = partsOf(index.text)
  t.true(parts.some(path => path.endsWith('.js')) && parts.some(path => path.endsWith('.css')))
  for (const [accepted, encoding] of [
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip']
  ] as const) {
    const page = await get(server, '/ui/', accepted)
    t.is(page.headers['content-encoding'], encoding)
    t.is(page.headers.vary, 'Accept-Encoding')
    let bytes = Number(page.headers['content-length'])
    for (const path of parts) {
      const { headers, status } = await get(server, path, accepted)
      t.is(status, 200, path)
      const length = Number(headers['content-length'])
      // Small files are not compressed.
      if (length > SMALL) t.is(headers['content-encoding'], encoding, path)
      bytes += length
    }
    t.true(bytes < MOST, `${bytes} bytes with ${encoding}`)
  }
})

test('browsers cache files with content hashes, and revalidate the page', async t => {
  const server = await serverInProcess(t)
  for (const path of ['/ui', '/ui/', '/ui/services', '/ui/index.html']) {
    const { status, headers, text } = await get(server, path, 'identity')
    t.is(status, 200, path)
    t.regex(text, /<title>Annals<\/title>/, path)
    t.is(headers['cache-control'], 'no-cache', path)
    t.is(headers['content-type'], 'text/html;charset=utf-8', path)
  }
  const { text } = await get(server, '/ui/', 'identity')
  for (const path of partsOf(text)) {
    const { headers } = await get(server, path, 'br')
    t.is(headers['cache-control'], 'public, max-age=31536000, immutable', path)
    t.is(headers.vary, 'Accept-Encoding', path)
  }
  const gone = await get(server, '/ui/assets/index-0000.js', 'br')
  t.is(gone.status, 404)
  t.is(gone.headers['cache-control'], undefined)
})

test('the page runs its own scripts alone, asks its own server alone, and is put into no frame', async t => {
  const server = await serverInProcess(t)
  const { headers, text } = await get(server, '/ui/', 'identity')
  const policy = Object.fromEntries(
    String(headers['content-security-policy'])
      .split('; ')
      .map(rule => {
        const [name = '', ...sources] = rule.split(' ')
        return [name, sources.join(' ')]
      })
  )
  t.like(policy, {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'connect-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'"
  })
  t.is(headers['x-content-type-options'], 'nosniff')
  t.is(headers['referrer-policy'], 'no-referrer')
  t.notRegex(text, /<script(?![^>]* src=)|<style| style=| on\w+=/, 'nothing stands within the page')
})
